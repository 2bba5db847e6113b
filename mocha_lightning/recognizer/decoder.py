"""The decoder: one LSTM layer that attends with its previous state (Appendix A.1, A.2)."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from mocha_lightning.attention import Attended, AttentionFactory, Memory
from mocha_lightning.attention.diagnostics import undecided_mass
from mocha_lightning.errors import NotANumberError

Mode = Literal["expected", "hard"]
"""Which attention: in expectation (training) or Algorithm 1 (testing)."""


class DecoderState(NamedTuple):
    """What the decoder carries from one output to the next; the first axis is the hypothesis."""

    hidden: Float[Tensor, "batch hidden_dim"]
    cell: Float[Tensor, "batch hidden_dim"]
    attention: Tensor

    def select(self, rows: Int[Tensor, " rows"]) -> "DecoderState":
        """The states of some hypotheses, in the order given (repeats allowed)."""
        return DecoderState(*(part[rows] for part in self))


class TeacherForced(NamedTuple):
    """What a pass with the true outputs as inputs gives.

    Attributes:
        logits: before the softmax over the vocabulary.
        steps: the attention of each output.
    """

    logits: Float[Tensor, "batch outputs vocabulary"]
    steps: list[Attended]


class Decoder(nn.Module):
    """s_i = LSTM([y_{i-1}; c_i], s_{i-1}) and y_i = softmax(W [s_i; c_i] + b).

    The query of the attention is s_{i-1}, the hidden state before the step, as in Algorithm 1
    (many implementations attend with s_i instead).

    Args:
        vocabulary_size: number of output symbols.
        embedding_dim: width of the embedding of y_{i-1}.
        hidden_dim: dim(s_i).
        memory_dim: dim(h_j).
        energy_dim: d.
        attention: builds the mechanism from (memory_dim, query_dim, energy_dim).
        projection_dim: width of a linear layer between [s_i; c_i] and the output layer, W being a
            product of two matrices; None is no such layer.
    """

    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int,
        hidden_dim: int,
        memory_dim: int,
        energy_dim: int,
        attention: AttentionFactory,
        projection_dim: int | None = None,
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary_size, embedding_dim)
        self.cell = nn.LSTMCell(embedding_dim + memory_dim, hidden_dim)
        read_dim = hidden_dim + memory_dim
        self.output: nn.Module
        if projection_dim is None:
            self.output = nn.Linear(read_dim, vocabulary_size)
        else:
            self.output = nn.Sequential(
                nn.Linear(read_dim, projection_dim), nn.Linear(projection_dim, vocabulary_size)
            )
        # Built last: the random numbers that a mechanism takes for its own initial weights
        # leave those of the parts before it, which all mechanisms share, as they are.
        self.attention = attention(memory_dim, hidden_dim, energy_dim)

    def prepare(
        self,
        values: Float[Tensor, "batch time memory_dim"],
        valid: Bool[Tensor, "batch time"],
    ) -> Memory:
        """The memory with what the mechanism derives from it once per utterance."""
        return self.attention.prepare(values, valid)

    def start(self, memory: Memory, mode: Mode) -> DecoderState:
        """s_0 = 0 and the mechanism's own start."""
        zeros = memory.values.new_zeros(len(memory.values), self.cell.hidden_size)
        attention = self.attention
        start = attention.hard_start if mode == "hard" else attention.expected_start
        return DecoderState(zeros, zeros, start(memory))

    def advance(
        self,
        embedded: Float[Tensor, "batch embedding_dim"],
        memory: Memory,
        state: DecoderState,
        mode: Mode,
    ) -> tuple[Float[Tensor, "batch output_dim"], DecoderState, Attended]:
        """Attend, update the state, and give [s_i; c_i], what the output layer reads."""
        attention = self.attention
        step = attention.hard_step if mode == "hard" else attention.expected_step
        attended = step(state.hidden, memory, state.attention)
        return *self.update(embedded, state, attended), attended

    def update(
        self,
        embedded: Float[Tensor, "batch embedding_dim"],
        state: DecoderState,
        attended: Attended,
    ) -> tuple[Float[Tensor, "batch output_dim"], DecoderState]:
        """[s_i; c_i] and the state, given what has been attended to."""
        hidden, cell = self.cell(
            torch.cat([embedded, attended.context], -1), (state.hidden, state.cell)
        )
        read = torch.cat([hidden, attended.context], -1)
        return read, DecoderState(hidden, cell, attended.state)

    def step(
        self,
        symbols: Int[Tensor, " batch"],
        memory: Memory,
        state: DecoderState,
        mode: Mode,
    ) -> tuple[Float[Tensor, "batch vocabulary"], DecoderState, Attended]:
        """One output: logits over the next symbol given the last one."""
        read, state, attended = self.advance(self.embedding(symbols), memory, state, mode)
        return self.output(read), state, attended

    def forward(self, inputs: Int[Tensor, "batch outputs"], memory: Memory) -> TeacherForced:
        """All outputs with the true previous symbols as inputs, under expected attention.

        Raises:
            NotANumberError: the attention of some output has come to NaN.
        """
        reads, steps = self.follow(self.embedding(inputs), memory, self.start(memory, "expected"))
        return TeacherForced(self.output(reads), steps)

    def follow(
        self,
        embedded: Float[Tensor, "batch outputs embedding_dim"],
        memory: Memory,
        state: DecoderState,
        mode: Mode = "expected",
    ) -> tuple[Float[Tensor, "batch outputs output_dim"], list[Attended]]:
        """[s_i; c_i] and the attention of all outputs.

        Args:
            embedded: the true previous symbols of each.
            memory: of the batch.
            state: before the first.
            mode: in expectation, or hard.

        Raises:
            NotANumberError: the attention of some output has come to NaN.
        """
        reads, steps = [], []
        for output, symbols in enumerate(embedded.unbind(1)):
            try:
                read, state, attended = self.advance(symbols, memory, state, mode)
            except NotANumberError as error:
                raise NotANumberError(f"at output {output}, {error}") from error
            reads.append(read)
            steps.append(attended)
        return torch.stack(reads, 1), steps

    @torch.no_grad()
    def forced_weights(
        self,
        embedded: Float[Tensor, "1 outputs embedding_dim"],
        memory: Memory,
        state: DecoderState,
        mode: Mode,
    ) -> Float[Tensor, "outputs time"]:
        """What each output of one sequence attends to, given the true symbols before it.

        Args:
            embedded: the true previous symbols of each.
            memory: of the one.
            state: before the first.
            mode: in expectation, or hard.

        Raises:
            NotANumberError: the attention of some output has come to NaN.
        """
        _, steps = self.follow(embedded, memory, state, mode)
        return torch.stack([step.over(memory.values.shape[1])[0] for step in steps])

    def undecided(
        self,
        memory: Memory,
        steps: Sequence[Attended],
        outputs: Bool[Tensor, "batch outputs"],
    ) -> tuple[float, float]:
        """What :func:`undecided_mass` gives; 0 of 0 for a mechanism without a monotonic head.

        Args:
            memory: of the batch.
            steps: expected attention at each output, without noise.
            outputs: True where an output belongs to its sequence.
        """
        if steps[0].logits is None:
            return 0.0, 0.0
        return undecided_mass(steps, self.attention.expected_start(memory), outputs)

    def learning_rate_factors(self, name: str) -> dict[str, float]:
        """The mechanism's multiples of the learning rate, by the parameters' full names.

        Args:
            name: the decoder's own, in the module that has it.
        """
        factors = self.attention.learning_rate_factors()
        return {f"{name}.attention.{parameter}": factor for parameter, factor in factors.items()}


def teacher_inputs(
    tokens: Int[Tensor, "batch outputs"], start: int
) -> Int[Tensor, "batch outputs"]:
    """y_{i-1} for each y_i: the start symbol, then the true outputs but the last."""
    return torch.cat([torch.full_like(tokens[:, :1], start), tokens[:, :-1]], 1)
