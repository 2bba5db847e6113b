"""A recurrence in the processor's vector registers, eight entries or eight groups of them at once.

Numba does not make vectors of a loop whose every round needs the last one's result. Here a block is
solved together: each lane puts its group's entries together, three doubling steps solve the eight
groups, each lane goes through its entries again, and what is left is carried to the next block.
This is written in LLVM's instructions, which Numba compiles for whatever processor it is on.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 8
WIDE = 4 * LANES
"""Entries of a block of groups of four. Larger ones need more registers than there are."""
Value = Any
"""A value of LLVM's (llvmlite has no types)."""

_INDEX = ir.IntType(32)
_VECTOR = ir.VectorType(ir.DoubleType(), LANES)
_STORED = ir.VectorType(ir.FloatType(), LANES)
_FLOATS = types.CPointer(types.float32)
_FUSED = ("contract",)
"""A product may be added without being rounded first."""


def _forward(group: int) -> Callable[..., Any]:
    @intrinsic
    def forward(typing, select, previous, alpha, first, blocks, left):
        """Set alpha in so many blocks from ``first``; give the mass left after them.

        The mass that passes entry j is left_j = (1 - p_j) (left_{j-1} + previous_j), of which
        alpha_j = p_j (left_{j-1} + previous_j) has not. ``left`` comes from before ``first``.
        """

        def build(context, builder, signature, arguments):
            select, previous, alpha, first, blocks, left = arguments
            lanes = _Lanes(builder, group, reverse=False)
            with lanes.through(first, blocks, left) as (at, left):
                p, entering = lanes.probabilities(lanes.load(select, at)), lanes.load(previous, at)
                skip = [builder.fsub(lanes.constant(1), each) for each in p]
                drive = [builder.fmul(*each) for each in zip(skip, entering, strict=True)]
                before, _ = lanes.solve(skip, drive, left)
                reach = [builder.fadd(*each) for each in zip(before, entering, strict=True)]
                lanes.store([builder.fmul(*each) for each in zip(p, reach, strict=True)], alpha, at)
            return lanes.carried()

        return types.float64(*[_FLOATS] * 3, *[types.int64] * 2, types.float64), build

    return forward


def _backward(group: int) -> Callable[..., Any]:
    @intrinsic
    def backward(typing, select, alpha, grad, by_logit, by_previous, first, blocks, following):
        """Set both gradients in so many blocks from ``first``, the last block first.

        g_j = p_j grad_j + (1 - p_j) g_{j+1}, where g after the blocks is ``following``; by the
        logit alpha_j (1 - p_j) (grad_j - g_{j+1}).
        """

        def build(context, builder, signature, arguments):
            select, alpha, grad, by_logit, by_previous, first, blocks, following = arguments
            lanes = _Lanes(builder, group, reverse=True)
            with lanes.through(first, blocks, following) as (at, following):
                p, given = lanes.probabilities(lanes.load(select, at)), lanes.load(grad, at)
                skip = [builder.fsub(lanes.constant(1), each) for each in p]
                drive = [builder.fmul(*each) for each in zip(p, given, strict=True)]
                after, entering = lanes.solve(skip, drive, following)
                lanes.store(entering, by_previous, at)
                change = [builder.fsub(*each) for each in zip(given, after, strict=True)]
                scale = zip(lanes.load(alpha, at), skip, strict=True)
                scaled = zip([builder.fmul(*each) for each in scale], change, strict=True)
                lanes.store([builder.fmul(*each) for each in scaled], by_logit, at)
            return lanes.carried()

        signature = types.float64(*[_FLOATS] * 5, *[types.int64] * 2, types.float64)
        return signature, build

    return backward


class _Lanes:
    """Eight groups of float64 numbers, solved from the first to the last, or in reverse.

    A block is a list of vectors, in the order of solving: the first number of each group, the
    second of each, and so on.
    """

    def __init__(self, builder: Value, group: int, reverse: bool) -> None:
        self.builder = builder
        self.group = group
        self.reverse = reverse
        self.kept = cgutils.alloca_once(builder, _VECTOR)

    @contextmanager
    def through(self, first: Value, blocks: Value, carry: Value) -> Iterator[tuple[Value, Value]]:
        """Build a loop; give where its block begins and, in all lanes, what is carried to it."""
        self.builder.store(self._all(carry), self.kept)
        with cgutils.for_range(self.builder, blocks) as loop:
            number = loop.index
            if self.reverse:
                number = self.builder.sub(self.builder.sub(blocks, blocks.type(1)), number)
            passed = self.builder.mul(number, blocks.type(LANES * self.group))
            yield self.builder.add(first, passed), self.builder.load(self.kept)

    def carried(self) -> Value:
        """What the last block has left."""
        return self.builder.extract_element(self.builder.load(self.kept), _INDEX(0))

    def load(self, pointer: Value, at: Value) -> list[Value]:
        """A block of stored numbers."""
        stored = self.builder.load(self._place(pointer, at))
        stored.align = 4
        members = [
            self._shuffled(stored, stored, range(member, LANES * self.group, self.group))
            for member in range(self.group)
        ]
        extended = [self.builder.fpext(member, _VECTOR) for member in members]
        return extended[::-1] if self.reverse else extended

    def probabilities(self, signed: list[Value]) -> list[Value]:
        """Of what ``signed_sigmoids`` gives: 1 is added where the sign is negative."""
        builder, integers = self.builder, ir.VectorType(ir.IntType(64), LANES)
        zeros = ir.Constant(integers, [0] * LANES)
        found = []
        for each in signed:
            negative = builder.icmp_signed("<", builder.bitcast(each, integers), zeros)
            found.append(builder.select(negative, builder.fadd(each, self.constant(1)), each))
        return found

    def store(self, block: list[Value], pointer: Value, at: Value) -> None:
        """Keep a block."""
        members = block[::-1] if self.reverse else block
        stored = [self.builder.fptrunc(member, _STORED) for member in members]
        while len(stored) > 1:
            half = len(stored) // 2
            stored = [
                self._alternating(*pair) for pair in zip(stored[:half], stored[half:], strict=True)
            ]
        self.builder.store(stored[0], self._place(pointer, at)).align = 4

    def solve(
        self, factors: list[Value], drives: list[Value], carry: Value
    ) -> tuple[list[Value], list[Value]]:
        """x_j = factor_j x_{j-1} + drive_j, where x before the block is ``carry``.

        Carries on the block's last x.

        Returns:
            x_{j-1} and x_j.
        """
        factor, drive = factors[0], drives[0]
        for its_factor, its_drive in zip(factors[1:], drives[1:], strict=True):
            factor = self.builder.fmul(its_factor, factor)
            drive = self._multiply_add(its_factor, drive, its_drive)
        last = self._solve_lanes(factor, drive, carry)
        end = 0 if self.reverse else LANES - 1
        self.builder.store(self._shuffled(last, last, [end] * LANES), self.kept)
        before, solved = [self._moved(last, 1, carry)], []
        for its_factor, its_drive in zip(factors[:-1], drives[:-1], strict=True):
            solved.append(self._multiply_add(its_factor, before[-1], its_drive))
            before.append(solved[-1])
        return before, [*solved, last]

    @staticmethod
    def constant(number: float) -> Value:
        """A number in all lanes."""
        return ir.Constant(_VECTOR, [float(number)] * LANES)

    def _solve_lanes(self, factor: Value, drive: Value, carry: Value) -> Value:
        by = 1
        while by < LANES:
            # To zero the factor and not the drive lets the drive be merely rotated, which is fast.
            inside = [int(0 <= source < LANES) for source in self._sources(by)]
            mask = ir.Constant(ir.VectorType(ir.IntType(1), LANES), inside)
            rotated = self._shuffled(drive, drive, [each % LANES for each in self._sources(by)])
            reaching = self.builder.select(mask, factor, self.constant(0))
            drive = self._multiply_add(reaching, rotated, drive)
            factor = self.builder.fmul(factor, self._moved(factor, by, self.constant(1)))
            by *= 2
        return self._multiply_add(factor, carry, drive)

    def _moved(self, vector: Value, by: int, fill: Value) -> Value:
        """Each lane has what was so many lanes before it in the order of solving."""
        sources = [each if 0 <= each < LANES else LANES for each in self._sources(by)]
        return self._shuffled(vector, fill, sources)

    def _sources(self, by: int) -> list[int]:
        step = -by if self.reverse else by
        return [lane - step for lane in range(LANES)]

    def _all(self, number: Value) -> Value:
        nothing = ir.Constant(_VECTOR, ir.Undefined)
        first = self.builder.insert_element(nothing, number, _INDEX(0))
        return self._shuffled(first, nothing, [0] * LANES)

    def _alternating(self, one: Value, other: Value) -> Value:
        count = one.type.count
        return self._shuffled(one, other, [half + n for n in range(count) for half in (0, count)])

    def _shuffled(self, one: Value, other: Value, sources: Iterable[int]) -> Value:
        chosen = list(sources)
        indices = ir.Constant(ir.VectorType(_INDEX, len(chosen)), chosen)
        return self.builder.shuffle_vector(one, other, indices)

    def _place(self, pointer: Value, at: Value) -> Value:
        block = ir.VectorType(ir.FloatType(), LANES * self.group)
        return self.builder.bitcast(self.builder.gep(pointer, [at]), block.as_pointer())

    def _multiply_add(self, x: Value, y: Value, z: Value) -> Value:
        product = self.builder.fmul(x, y, flags=_FUSED)
        return self.builder.fadd(product, z, flags=_FUSED)


forward, forward_wide = _forward(group=1), _forward(group=WIDE // LANES)
backward, backward_wide = _backward(group=1), _backward(group=WIDE // LANES)
