"""Eight entries of a recurrence at once, in the processor's vector registers.

Numba does not make vectors of a loop whose every round needs the last one's result. Here the eight
entries are solved together, in three doubling steps, and what they leave is carried to the next
eight. This is written in LLVM's instructions, which Numba compiles for whatever processor it is on.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

LANES = 8
Value = Any
"""A value of LLVM's (llvmlite has no types)."""

_INDEX = ir.IntType(32)
_VECTOR = ir.VectorType(ir.DoubleType(), LANES)
_STORED = ir.VectorType(ir.FloatType(), LANES)
_FLOATS = types.CPointer(types.float32)
_FUSED = ("contract",)
"""A product may be added without being rounded first."""


@intrinsic
def forward_block(typing, select, previous, alpha, at, left):
    """Set alpha at eight entries, given the mass left before them; give the mass left after.

    The mass that passes entry j is left_j = (1 - p_j) (left_{j-1} + previous_j), of which
    alpha_j = p_j (left_{j-1} + previous_j) has not.
    """

    def build(context, builder, signature, arguments):
        select, previous, alpha, at, left = arguments
        block = _Block(builder, reverse=False)
        p, entering = block.load(select, at), block.load(previous, at)
        skip = builder.fsub(block.constant(1), p)
        passed = block.solve(skip, builder.fmul(skip, entering), left)
        reach = builder.fadd(block.moved(passed, 1, block.all(left)), entering)
        block.store(builder.fmul(p, reach), alpha, at)
        return block.last(passed)

    return types.float64(_FLOATS, _FLOATS, _FLOATS, types.int64, types.float64), build


@intrinsic
def backward_block(typing, select, alpha, grad, by_logit, by_previous, at, following):
    """Set both gradients at eight entries, given g of the entry after them; give g of the first.

    g_j = p_j grad_j + (1 - p_j) g_{j+1}; by the logit alpha_j (1 - p_j) (grad_j - g_{j+1}).
    """

    def build(context, builder, signature, arguments):
        select, alpha, grad, by_logit, by_previous, at, following = arguments
        block = _Block(builder, reverse=True)
        p, given = block.load(select, at), block.load(grad, at)
        skip = builder.fsub(block.constant(1), p)
        entering = block.solve(skip, builder.fmul(p, given), following)
        after = block.moved(entering, 1, block.all(following))
        scale = builder.fmul(block.load(alpha, at), skip)
        block.store(builder.fmul(scale, builder.fsub(given, after)), by_logit, at)
        block.store(entering, by_previous, at)
        return block.last(entering)

    signature = types.float64(*[_FLOATS] * 5, types.int64, types.float64)
    return signature, build


class _Block:
    """Eight float64 lanes, from first to last entry, or solved from the last to the first."""

    def __init__(self, builder: Value, reverse: bool) -> None:
        self.builder = builder
        self.reverse = reverse

    def load(self, pointer: Value, at: Value) -> Value:
        """Eight stored numbers."""
        place = self.builder.bitcast(self.builder.gep(pointer, [at]), _STORED.as_pointer())
        stored = self.builder.load(place)
        stored.align = 4
        return self.builder.fpext(stored, _VECTOR)

    def store(self, vector: Value, pointer: Value, at: Value) -> None:
        """Keep eight numbers."""
        place = self.builder.bitcast(self.builder.gep(pointer, [at]), _STORED.as_pointer())
        self.builder.store(self.builder.fptrunc(vector, _STORED), place).align = 4

    def solve(self, factor: Value, drive: Value, carry: Value) -> Value:
        """x_j = factor_j x_{j-1} + drive_j, where x before the first lane is ``carry``."""
        by = 1
        while by < LANES:
            drive = self._multiply_add(factor, self.moved(drive, by, self.constant(0)), drive)
            moved = self.moved(factor, by, self.constant(1))
            factor = self.builder.fmul(factor, moved)
            by *= 2
        return self._multiply_add(factor, self.all(carry), drive)

    def moved(self, vector: Value, by: int, fill: Value) -> Value:
        """Each lane has what was so many lanes before it in the order of solving."""
        step = -by if self.reverse else by
        sources = [lane - step for lane in range(LANES)]
        known = [source if 0 <= source < LANES else LANES for source in sources]
        return self.builder.shuffle_vector(vector, fill, self._lanes(known))

    def last(self, vector: Value) -> Value:
        """The lane solved last."""
        return self.builder.extract_element(vector, _INDEX(0 if self.reverse else LANES - 1))

    def all(self, number: Value) -> Value:
        """The same number in all lanes."""
        nothing = ir.Constant(_VECTOR, ir.Undefined)
        first = self.builder.insert_element(nothing, number, _INDEX(0))
        return self.builder.shuffle_vector(first, nothing, self._lanes([0] * LANES))

    @staticmethod
    def constant(number: float) -> Value:
        """A number in all lanes."""
        return ir.Constant(_VECTOR, [float(number)] * LANES)

    @staticmethod
    def _lanes(sources: list[int]) -> Value:
        return ir.Constant(ir.VectorType(_INDEX, LANES), sources)

    def _multiply_add(self, x: Value, y: Value, z: Value) -> Value:
        product = self.builder.fmul(x, y, flags=_FUSED)
        return self.builder.fadd(product, z, flags=_FUSED)
