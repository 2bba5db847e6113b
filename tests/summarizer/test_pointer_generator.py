"""The mixture of generating and copying, against a loop over words."""

import math

import pytest
import torch
from oracles.pointer_generator import generation_probability, mixture
from torch import Tensor

from mocha_lightning.summarizer.pointer_generator import (
    LEAST_COPIED,
    PointerGenerator,
    Switch,
    copied_mass,
    log_distribution,
    log_likelihood,
)

READ, EMBEDDED, VOCABULARY, SIZE = 5, 3, 6, 9
PLACES = ["generator", "lost"]
# Two rows are whole, one has lost a part, one all: what soft attention and a head give.
MASSES = [1.0, 1.0, 0.6, 0.0]
WORDS = torch.tensor([[2, 7, 2, 8, 0], [6, 6, 6, 1, 0], [5, 7, 8, 7, 5], [4, 3, 6, 2, 1]])


def pointer_generator(lost_mass: str) -> PointerGenerator:
    torch.manual_seed(0)
    return PointerGenerator(READ, EMBEDDED, lost_mass).double()


def given(seed: int = 0) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """[s; c], x, logits of P_vocab and attention weights of some outputs."""
    generator = torch.Generator().manual_seed(seed)
    rows = len(MASSES)

    def random(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=generator, dtype=torch.double)

    weights = random(rows, WORDS.shape[1]).softmax(-1) * torch.tensor(MASSES).double()[:, None]
    return random(rows, READ), random(rows, EMBEDDED), 3 * random(rows, VOCABULARY), weights


def by_the_loop(lost_mass: str) -> Tensor:
    reads, embedded, logits, weights = given()
    gate = pointer_generator(lost_mass).gate
    w = gate.weight.detach().numpy()[0]
    s_dim = 2  # any split of [s; c]
    rows = []
    for row in range(len(MASSES)):
        read = reads[row].numpy()
        p_gen = generation_probability(
            w[s_dim:READ],
            w[:s_dim],
            w[READ:],
            gate.bias.item(),
            read[s_dim:],
            read[:s_dim],
            embedded[row].numpy(),
        )
        vocabulary = logits[row].softmax(-1).tolist()
        entries = weights[row].tolist(), WORDS[row].tolist()
        rows.append(mixture(p_gen, vocabulary, *entries, SIZE, lost_mass))
    return torch.tensor(rows, dtype=torch.double)


def whole_distribution(lost_mass: str) -> Tensor:
    reads, embedded, logits, weights = given()
    switch = pointer_generator(lost_mass)(reads, embedded, weights.sum(-1))
    return log_distribution(switch, logits, weights, WORDS, SIZE)


def likelihood_of(lost_mass: str, target: Tensor, *inputs: Tensor) -> Tensor:
    """Of one word for each output, as in training."""
    reads, embedded, logits, weights = inputs
    switch = pointer_generator(lost_mass)(reads, embedded, weights.sum(-1))
    known = target < VOCABULARY
    generated = logits.log_softmax(-1).gather(1, target.where(known, 0).unsqueeze(1)).squeeze(1)
    copied = copied_mass(weights.unsqueeze(1), WORDS, target.unsqueeze(1)).squeeze(1)
    return log_likelihood(switch, generated.masked_fill(~known, -torch.inf), copied)


@pytest.mark.parametrize("lost_mass", PLACES)
def test_the_distribution_is_that_of_the_loop(lost_mass: str) -> None:
    found = whole_distribution(lost_mass).exp()
    torch.testing.assert_close(found, by_the_loop(lost_mass), rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("lost_mass", PLACES)
def test_each_words_likelihood_is_that_of_the_loop(lost_mass: str) -> None:
    expected = by_the_loop(lost_mass)
    for word in range(SIZE):
        found = likelihood_of(lost_mass, torch.full((len(MASSES),), word), *given()).exp()
        # A word that nothing gives has a probability all the same.
        least = expected[:, word].clamp_min(LEAST_COPIED)
        torch.testing.assert_close(found, least, rtol=1e-9, atol=0)


def test_probabilities_sum_to_1_unless_the_lost_mass_is_lost() -> None:
    sums = whole_distribution("generator").exp().sum(-1)
    torch.testing.assert_close(sums, torch.ones_like(sums))
    reads, embedded, _, weights = given()
    mass = weights.sum(-1)
    p_gen = pointer_generator("lost")(reads, embedded, mass).generate.exp()
    sums = whole_distribution("lost").exp().sum(-1)
    torch.testing.assert_close(sums, p_gen + (1 - p_gen) * mass)
    assert sums[-1] < 0.9


def test_off_the_end_the_generator_is_alone() -> None:
    """As in hard decoding once the head has passed the document's end."""
    *_, logits, _ = given()
    found = whole_distribution("generator")[-1]
    torch.testing.assert_close(found[:VOCABULARY], logits[-1].log_softmax(-1))
    assert (found[VOCABULARY:] == -torch.inf).all()


@pytest.mark.parametrize("lost_mass", PLACES)
def test_gradients_are_those_of_the_formula(lost_mass: str) -> None:
    inputs = [part[2:3].requires_grad_() for part in given()]  # where some mass is lost

    def likelihoods(*parts: Tensor) -> Tensor:
        repeated = [part.expand(len(MASSES), -1) for part in parts]
        # In the vocabulary alone, in both, in the document alone.
        return likelihood_of(lost_mass, torch.tensor([0, 1, 2, 6]), *repeated)

    assert torch.autograd.gradcheck(likelihoods, inputs)


@pytest.mark.parametrize("lost_mass", PLACES)
@pytest.mark.parametrize("mass", [0.0, 1.0, 1 + 1e-6])
@pytest.mark.parametrize("logit", [-200.0, 0.0, 200.0])
def test_extremes_have_gradients(lost_mass: str, mass: float, logit: float) -> None:
    module = PointerGenerator(1, 1, lost_mass)
    with torch.no_grad():
        module.gate.weight.fill_(1)
        module.gate.bias.fill_(0)
    read = torch.full((3, 1), logit, requires_grad=True)
    weight = torch.full((3,), mass, requires_grad=True)
    switch = module(read, torch.zeros(3, 1), weight)
    generated = torch.tensor([-3.0, -3.0, -torch.inf])
    copied = weight * torch.tensor([0.0, 0.5, 0.5])
    likelihoods = log_likelihood(switch, generated, copied)
    assert likelihoods.isfinite().all()
    gradients = torch.autograd.grad(likelihoods.sum(), [read, weight])
    assert all(gradient.isfinite().all() for gradient in gradients)


def test_what_nothing_can_give_costs_46_nats_and_teaches_nothing() -> None:
    generate, copy = torch.zeros(1, requires_grad=True), torch.zeros(1, requires_grad=True)
    copied = torch.zeros(1, requires_grad=True)
    found = log_likelihood(Switch(generate, copy), torch.tensor([-torch.inf]), copied)
    assert found.item() == pytest.approx(math.log(1e-20))
    gradients = torch.autograd.grad(found, [generate, copy, copied])
    assert [gradient.item() for gradient in gradients] == [0, 0, 0]


def test_there_is_no_third_place_for_lost_mass() -> None:
    with pytest.raises(ValueError, match="lost_mass must be 'generator' or 'lost', not 'last'"):
        PointerGenerator(1, 1, "last")
