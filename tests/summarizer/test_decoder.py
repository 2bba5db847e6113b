"""The decoder: step by step what the mixture's loop over words says, of its own weights."""

import pytest
import torch
from oracles.pointer_generator import generation_probability, mixture
from torch import Tensor

from mocha_lightning.attention import Attended
from mocha_lightning.recognizer.decoder import teacher_inputs
from mocha_lightning.summarizer import Summarizer

from .setting import ALL, MECHANISMS, VOCABULARY, V, documents, lively

PLACES = ["generator", "lost"]
MODES = ["expected", "hard"]


def by_the_loop(
    task: Summarizer, read: Tensor, embedded: Tensor, attended: Attended, words: Tensor, size: int
) -> Tensor:
    """P of every word at one output of one document, from [s_i; c_i], x_i and the weights."""
    gate, hidden = task.decoder.pointer_generator.gate, task.decoder.cell.hidden_size
    w = gate.weight.detach().double().numpy()[0]
    s, c = read[:hidden].double().numpy(), read[hidden:].double().numpy()
    w_s, w_c, w_x = w[:hidden], w[hidden : len(read)], w[len(read) :]
    p_gen = generation_probability(w_c, w_s, w_x, gate.bias.item(), c, s, embedded.double().numpy())
    vocabulary = task.decoder.output(read).double().softmax(-1).tolist()
    weights = attended.over(len(words))[0].tolist()
    lost_mass = task.decoder.pointer_generator.lost_mass
    return torch.tensor(mixture(p_gen, vocabulary, weights, words.tolist(), size, lost_mass))


@pytest.mark.parametrize("lost_mass", PLACES)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", MECHANISMS)
@torch.no_grad()
def test_a_step_distributes_over_all_words_as_the_loop(
    name: str, mode: str, lost_mass: str
) -> None:
    task = lively(name, lost_mass=lost_mass)
    decoder, batch = task.decoder, documents("three")
    read = task.read(batch)
    assert read.size == V + 2
    state = decoder.begin(read, mode)
    inputs = teacher_inputs(batch.target, VOCABULARY.SOS)
    for words in inputs.unbind(1):
        embedded = decoder.embedding(words.where(words < V, torch.tensor(VOCABULARY.UNK)))
        reads, _, attended = decoder.advance(embedded, read.memory, state, mode)
        scores, state, _ = decoder.distribute(
            words, read.memory, state, mode, read.words, read.size
        )
        expected = by_the_loop(task, reads[0], embedded[0], attended, read.words[0], read.size)
        torch.testing.assert_close(scores[0].exp(), expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("name", MECHANISMS)
@torch.no_grad()
def test_the_likelihoods_of_true_words_are_those_of_the_steps(name: str) -> None:
    task = lively(name)
    decoder, batch = task.decoder, documents(*ALL)
    read = task.read(batch)
    found = task.forced(batch, read)
    state, expected, copied = decoder.begin(read, "expected"), [], []
    for words, targets in zip(
        teacher_inputs(batch.target, VOCABULARY.SOS).unbind(1), batch.target.unbind(1), strict=True
    ):
        scores, state, attended = decoder.distribute(
            words, read.memory, state, "expected", read.words, read.size
        )
        expected.append(scores.gather(1, targets.unsqueeze(1)).squeeze(1))
        copied.append(attended.weights.sum(-1))
    counted = torch.arange(batch.target.shape[1]) < batch.target_lengths.unsqueeze(1)
    likelihoods = torch.stack(expected, 1)[counted]
    # A word that nothing can give costs a large number in the loss and is no word in the search.
    impossible = likelihoods == -torch.inf
    assert (found.log_likelihoods[impossible] < -46).all()
    torch.testing.assert_close(
        found.log_likelihoods[~impossible], likelihoods[~impossible], rtol=1e-4, atol=1e-4
    )
    assert impossible.any() == (name == "none")
    assert (found.copied <= torch.stack(copied, 1)[counted] + 1e-6).all()


def test_an_unknown_word_of_the_document_can_be_said_but_not_one_that_is_nowhere() -> None:
    """In 'three' the summary has zz, twice, which the document has once, and qq, which it lacks."""
    batch = documents("three", "one")
    assert batch.target[0].tolist()[1:5] == [V + 1, V + 1, VOCABULARY.UNK, 10]
    task = lively("soft")
    read = task.read(batch)
    scores, _, attended = task.decoder.distribute(
        torch.full((2,), VOCABULARY.SOS),
        read.memory,
        task.decoder.begin(read, "expected"),
        "expected",
        read.words,
        read.size,
    )
    # yy of 'one' is its second unknown word, xx its first, and xx is there twice.
    xx = attended.weights[1, [1, 4]].sum() / attended.weights[1, 3]
    assert (scores[1, V].exp() / scores[1, V + 1].exp()).item() == pytest.approx(xx.item())


def test_an_unknown_word_is_fed_back_as_unknown() -> None:
    decoder = lively("soft").decoder
    found = decoder.embed(torch.tensor([V, V + 1, 4]))
    expected = decoder.embedding(torch.tensor([VOCABULARY.UNK, VOCABULARY.UNK, 4]))
    assert torch.equal(found, expected)


@pytest.mark.parametrize("name", MECHANISMS)
def test_every_parameter_learns(name: str) -> None:
    task = lively(name).train()
    batch = documents(*ALL)
    task.forced(batch, task.read(batch)).log_likelihoods.sum().backward()
    for parameter_name, parameter in task.named_parameters():
        assert parameter.grad is not None, parameter_name
        # Without attention nothing of the document comes through, and nothing is copied.
        useless = name == "none" and parameter_name.startswith(("encoder", "decoder.pointer"))
        # (Of the gate nothing is left but rounding.)
        assert (parameter.grad.abs() > 1e-6).any() != useless, parameter_name


@pytest.mark.parametrize("name", MECHANISMS)
def test_the_mechanism_is_all_that_differs_at_the_start(name: str) -> None:
    soft, other = lively("soft"), lively(name)
    parameters = dict(other.named_parameters())
    for parameter_name, value in soft.named_parameters():
        if not parameter_name.startswith("decoder.attention."):
            assert torch.equal(value, parameters[parameter_name])
