"""The encoder: words to memory, and to the state that a decoder may begin with (Appendix A.2)."""

from typing import Literal, NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from mocha_lightning.lengths import within

InitialState = Literal["zero", "encoder"]
"""s_0: zero, as in Algorithm 1, or made of the encoder's final states, as in See et al.'s code."""


class Encoded(NamedTuple):
    """What becomes of the documents of a batch.

    Attributes:
        values: h, zero after each document's end.
        valid: which entries belong to the document.
        hidden: s_0.
        cell: the decoder's cell beside it.
    """

    values: Float[Tensor, "batch words memory_dim"]
    valid: Bool[Tensor, "batch words"]
    hidden: Float[Tensor, "batch decoder_dim"]
    cell: Float[Tensor, "batch decoder_dim"]


class Encoder(nn.Module):
    """An embedding and one LSTM layer, bidirectional: h_j = [forward_j; backward_j].

    With ``initial_state="encoder"``, s_0 = ReLU(W [forward_T; backward_1] + b), and the same of
    the cells with weights of their own.

    Args:
        vocabulary_size: number of words and marks.
        embedding_dim: width of the embedding of a word.
        hidden_dim: width of the LSTM in each direction.
        decoder_dim: width of the decoder's LSTM.
        unidirectional: whether there is no backward direction, so that h_j depends on no word
            after the j-th and a document can be read as it comes.
        initial_state: what the decoder begins with.

    Raises:
        ValueError: another initial state.
    """

    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int,
        hidden_dim: int,
        decoder_dim: int,
        unidirectional: bool = False,
        initial_state: InitialState = "zero",
    ) -> None:
        super().__init__()
        if initial_state not in ("zero", "encoder"):
            raise ValueError(f"initial_state must be 'zero' or 'encoder', not {initial_state!r}")
        self.memory_dim = hidden_dim if unidirectional else 2 * hidden_dim
        """dim(h_j)."""
        self.decoder_dim = decoder_dim
        self.embedding = nn.Embedding(vocabulary_size, embedding_dim)
        self.lstm = nn.LSTM(
            embedding_dim, hidden_dim, batch_first=True, bidirectional=not unidirectional
        )
        self.bridges: nn.ModuleList | None = None
        if initial_state == "encoder":
            # Drawn aside, so that all else starts from the same weights with it and without.
            with torch.random.fork_rng(devices=[]):
                self.bridges = nn.ModuleList(
                    nn.Linear(self.memory_dim, decoder_dim) for _ in ("hidden", "cell")
                )

    def forward(
        self, source: Int[Tensor, "batch words"], lengths: Int[Tensor, " batch"]
    ) -> Encoded:
        """Read documents.

        Args:
            source: numbers of the vocabulary; those after a document's end do not matter.
            lengths: words of each, at least 1.
        """
        # Packed, so that the backward direction begins at each document's own end.
        packed = pack_padded_sequence(
            self.embedding(source), lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        states, final = self.lstm(packed)
        time = source.shape[1]
        values, _ = pad_packed_sequence(states, batch_first=True, total_length=time)
        valid = within(lengths, time)
        return Encoded(values, valid, *self._start(final))

    def _start(
        self, final: tuple[Tensor, Tensor]
    ) -> tuple[Float[Tensor, "batch decoder_dim"], Float[Tensor, "batch decoder_dim"]]:
        if self.bridges is None:
            zeros = final[0].new_zeros(final[0].shape[1], self.decoder_dim)
            return zeros, zeros
        hidden, cell = (
            torch.relu(bridge(states.transpose(0, 1).flatten(1)))
            for bridge, states in zip(self.bridges, final, strict=True)
        )
        return hidden, cell
