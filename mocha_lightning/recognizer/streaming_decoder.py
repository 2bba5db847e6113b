"""Greedy decoding of a memory that is still growing."""

from typing import NamedTuple, Protocol

import torch
from jaxtyping import Float, Int
from torch import Tensor

from mocha_lightning.attention import Attended, Memory, ScanningAttention
from mocha_lightning.data.vocabulary import Vocabulary
from mocha_lightning.errors import NotANumberError, UserError
from mocha_lightning.recognizer.decoder import Decoder, DecoderState


class Output(NamedTuple):
    """One symbol of a stream.

    Attributes:
        symbol: of the vocabulary, never its end symbol.
        entry: t_i, the memory entry that the head stopped at, counted from 0; None where it had
            passed the end of the audio.
    """

    symbol: int
    entry: int | None


class Choice(Protocol):
    """What a stream's symbols are, and what each is chosen by."""

    @property
    def start(self) -> int:
        """The mark of a sequence's start."""

    @property
    def end(self) -> int:
        """The mark of its end."""

    def cap(self, arrived: int) -> int:
        """The most symbols that there may be, given how many entries have arrived."""

    def scores(
        self, last: Int[Tensor, " 1"], state: DecoderState, attended: Attended, dropped: int
    ) -> tuple[Float[Tensor, "1 symbols"], DecoderState]:
        """The scores of all symbols, the highest of which comes next, and the state with it.

        Asked for each output once, in their order.

        Args:
            last: the symbol before, or the start mark.
            state: before the output.
            attended: what it attends to, among the entries that are kept.
            dropped: entries before those.
        """


class SpokenChoice:
    """Symbols of a transcript, by the decoder's output layer.

    Args:
        decoder: in evaluation.
        outputs_per_entry: the cap, in symbols per memory entry.
    """

    start, end = Vocabulary.SOS, Vocabulary.EOS

    def __init__(self, decoder: Decoder, outputs_per_entry: float) -> None:
        self._decoder = decoder
        self._outputs_per_entry = outputs_per_entry

    def cap(self, arrived: int) -> int:
        """So many for each entry, by the same arithmetic as the whole's."""
        return int((torch.tensor(arrived) * self._outputs_per_entry).ceil())

    def scores(
        self, last: Int[Tensor, " 1"], state: DecoderState, attended: Attended, dropped: int
    ) -> tuple[Float[Tensor, "1 symbols"], DecoderState]:
        """The logits."""
        read, state = self._decoder.update(self._decoder.embedding(last), state, attended)
        return self._decoder.output(read), state


class DecoderStream:
    """Gives each symbol as soon as the monotonic head stops.

    A scan that comes to the end of what has arrived waits there and goes on with what comes next:
    no entry is inspected twice for an output. So symbols and stops are those of greedy search
    under hard attention over the whole memory, and whatever the pieces, to the last bit: keys are
    projected entry by entry, and every output costs the same operations. (Offline the keys of all
    entries are one product of matrices, whose rounding can tip a probability that is 0.5, or two
    symbols that are alike, to seven digits.)

    The cap on the symbols is that of the whole too: as many as the entries that have arrived
    allow, and then no more before the next ones come.

    Kept are the entries that the mechanism may still attend to
    (:meth:`ScanningAttention.oldest_needed`), so those too that wait because the head stops at the
    same entry for as many outputs as the cap allows.

    Args:
        decoder: in evaluation.
        choice: the symbols, their cap, and what each is chosen by.

    Raises:
        UserError: the mechanism cannot attend before the whole memory is there.
        NotANumberError: while decoding, a score or an attention weight is NaN.
    """

    def __init__(self, decoder: Decoder, choice: Choice) -> None:
        if not isinstance(decoder.attention, ScanningAttention):
            raise UserError(
                f"{type(decoder.attention).__name__} has no monotonic head that says when an "
                "output has heard enough, so its first output may need the end of the audio: "
                "take a run whose mechanism scans, such as MoChA's, or one of CTC"
            )
        self.ended = False
        """Whether the end symbol has come: what is said after it is not heard."""
        self._decoder = decoder
        self._attention = decoder.attention
        self._choice = choice
        # The entries that are kept, and how many before them are not.
        self._entries: list[Memory] = []
        self._dropped = 0
        # Those kept as one memory, the latest perhaps not among them yet.
        self._joined: Memory | None = None
        # Of the next output: the state before it, and how far its scan has come among those kept.
        self._state: DecoderState | None = None
        self._position: Int[Tensor, " 1"]
        self._symbol = choice.start
        self._given = 0

    @torch.inference_mode()
    def accept(self, entries: Float[Tensor, "entries memory_dim"]) -> list[Output]:
        """The symbols that some more memory entries decide."""
        if self.ended or not len(entries):
            return []
        for entry in entries:
            # In memory of its own, as in the encoder's stream.
            value = entry[None, None].clone()
            valid = torch.ones(1, 1, dtype=torch.bool, device=value.device)
            self._entries.append(self._decoder.prepare(value, valid))
        return self._decode(complete=False)

    @torch.inference_mode()
    def finish(self) -> list[Output]:
        """The symbols that were left, now that there are no more entries."""
        return self._decode(complete=True) if self._entries and not self.ended else []

    def _decode(self, complete: bool) -> list[Output]:
        memory = self._joined = self._join()
        state = self._state
        if state is None:
            state = self._decoder.start(memory, "hard")
            self._position = state.attention
        cap = self._choice.cap(self._dropped + len(self._entries))
        outputs: list[Output] = []
        while not self.ended and self._given < cap:
            self._position = self._attention.scan(state.hidden, memory, self._position)
            found = int(self._position) < len(self._entries)
            if not found and not complete:
                break
            stop = int(self._position) + self._dropped if found else None
            attended = self._attention.attend(state.hidden, memory, state.attention, self._position)
            state = self._emit(state, attended)
            self._position = state.attention
            if not self.ended:
                self._given += 1
                outputs.append(Output(self._symbol, stop))
        self._state = self._forget(state)
        return outputs

    def _join(self) -> Memory:
        """The entries that are kept as one memory."""
        if self._joined is None:
            return Memory.joined(self._entries)
        # To join thousands one by one takes milliseconds.
        latest = self._entries[self._joined.values.shape[1] :]
        return Memory.joined([self._joined, *latest]) if latest else self._joined

    def _emit(self, state: DecoderState, attended: Attended) -> DecoderState:
        """Take the likeliest symbol."""
        last = torch.tensor([self._symbol], device=attended.context.device)
        logits, state = self._choice.scores(last, state, attended, self._dropped)
        if logits.isnan().any() or attended.weights.isnan().any():
            raise NotANumberError("decoding came to scores or attention weights that are NaN")
        self._symbol = int(logits.argmax(-1))
        self.ended = self._symbol == self._choice.end
        return state

    def _forget(self, state: DecoderState) -> DecoderState:
        """Drop the entries that no later output can attend to."""
        oldest = self._attention.oldest_needed(int(state.attention), int(self._position))
        # Even where all have been passed one must be left to be a memory.
        drop = min(max(0, oldest), len(self._entries) - 1)
        if drop:
            del self._entries[:drop]
            self._joined = None
        self._dropped += drop
        self._position = self._position - drop
        return state._replace(attention=state.attention - drop)
