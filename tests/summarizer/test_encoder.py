"""The encoder: forward and backward over each document's own words."""

import pytest
import torch
from torch import Tensor, nn

from mocha_lightning.summarizer.encoder import Encoder

from .setting import ALL, V, documents

EMBEDDING, HIDDEN, DECODER = 5, 4, 6


def encoder(**arguments) -> Encoder:
    torch.manual_seed(0)
    return Encoder(V, EMBEDDING, HIDDEN, DECODER, **arguments)


def direction(module: Encoder, words: Tensor, suffix: str) -> Tensor:
    """States of one direction over one document, word by word, with torch's cell."""
    cell = nn.LSTMCell(EMBEDDING, HIDDEN)
    kinds = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    cell.load_state_dict({kind: getattr(module.lstm, f"{kind}_l0{suffix}") for kind in kinds})
    hidden = memory = torch.zeros(1, HIDDEN)
    states = []
    for word in words:
        hidden, memory = cell(module.embedding(word)[None], (hidden, memory))
        states.append(torch.cat([hidden, memory], 1))
    return torch.cat(states)


def both(module: Encoder, words: Tensor) -> tuple[Tensor, Tensor]:
    """Hidden states and cells, each [forward; backward], at every word."""
    there = direction(module, words, "")
    back = direction(module, words.flip(0), "_reverse").flip(0)
    hidden = torch.cat([there[:, :HIDDEN], back[:, :HIDDEN]], 1)
    return hidden, torch.cat([there[:, HIDDEN:], back[:, HIDDEN:]], 1)


def test_the_memory_is_both_directions_over_the_document_alone() -> None:
    module, batch = encoder(), documents(*ALL, extra=2)
    found = module(batch.source, batch.source_lengths)
    assert found.values.shape == (*batch.source.shape, module.memory_dim)
    for row, length in enumerate(batch.source_lengths):
        hidden, _ = both(module, batch.source[row, :length])
        torch.testing.assert_close(found.values[row, :length], hidden)
        assert (found.values[row, length:] == 0).all()
        assert found.valid[row].tolist() == [j < length for j in range(batch.source.shape[1])]


def test_the_decoder_begins_with_zeros_as_in_algorithm_1() -> None:
    batch = documents(*ALL)
    found = encoder()(batch.source, batch.source_lengths)
    for start in (found.hidden, found.cell):
        assert torch.equal(start, torch.zeros(len(ALL), DECODER))


def test_it_can_begin_with_the_final_states() -> None:
    """Each direction's last: forward at the last word, backward at the first."""
    module, batch = encoder(initial_state="encoder"), documents(*ALL, extra=2)
    found = module(batch.source, batch.source_lengths)
    for row, length in enumerate(batch.source_lengths):
        states = both(module, batch.source[row, :length])
        for start, bridge, each in zip(found[2:], module.bridges, states, strict=True):
            final = torch.cat([each[-1, :HIDDEN], each[0, HIDDEN:]])
            expected = torch.relu(bridge.weight @ final + bridge.bias)
            torch.testing.assert_close(start[row], expected)


def test_in_one_direction_an_entry_depends_on_no_later_word() -> None:
    module, batch = encoder(unidirectional=True), documents("three")
    whole = module(batch.source, batch.source_lengths).values
    assert whole.shape[2] == module.memory_dim == HIDDEN
    part = module(batch.source[:, :3], torch.tensor([3])).values
    torch.testing.assert_close(part, whole[:, :3])


def test_all_else_starts_from_the_same_weights_with_bridges_and_without() -> None:
    without = dict(encoder().named_parameters())
    after = torch.rand(1)
    bridged = dict(encoder(initial_state="encoder").named_parameters())
    assert torch.equal(torch.rand(1), after)
    assert all(torch.equal(value, bridged[name]) for name, value in without.items())


def test_there_is_no_third_initial_state() -> None:
    with pytest.raises(ValueError, match="initial_state must be 'zero' or 'encoder', not 'mean'"):
        encoder(initial_state="mean")
