"""What every mechanism promises to a decoder, whatever it attends to."""

import inspect

import pytest
import torch
from torch import Tensor

from attention.setting import (
    ENERGY_DIM,
    HEADED,
    MECHANISMS,
    MEMORY_DIM,
    QUERY_DIM,
    attend,
    build,
    padded,
    queries,
    utterance,
)
from mocha_lightning.attention import (
    Attended,
    Attention,
    Memory,
    ScanningAttention,
    SoftAttention,
)
from mocha_lightning.attention.energy import AdditiveEnergy, NormalisedEnergy

MODES = ["expected", "hard"]


@pytest.fixture(params=MECHANISMS)
def mechanism(request: pytest.FixtureRequest) -> Attention:
    return build(MECHANISMS[request.param]).eval()


def utterances() -> list[Tensor]:
    return [utterance(time, seed) for seed, time in enumerate((9, 1, 6, 3))]


def rows(tensors: list[Tensor], row: int) -> Tensor:
    return torch.stack([t[row] for t in tensors])


def gradients_are_finite(mechanism: Attention, values: Tensor, steps: list[Attended]) -> bool:
    torch.stack([step.context.float() for step in steps]).sum().backward()
    gradients = [p.grad for p in (values, *mechanism.parameters()) if p.grad is not None]
    return all(bool(gradient.isfinite().all()) for gradient in gradients)


@pytest.mark.parametrize("mode", MODES)
def test_more_padding_changes_nothing(mechanism: Attention, mode: str) -> None:
    asked = queries(4, 8)
    tight, wide = (
        attend(mechanism, mechanism.prepare(*padded(utterances(), extra)), asked, mode)
        for extra in (0, 7)
    )
    for a, b in zip(tight, wide, strict=True):
        torch.testing.assert_close(a.context, b.context)
        torch.testing.assert_close(a.weights, b.weights[:, :9])
        assert (b.weights[:, 9:] == 0).all()


@pytest.mark.parametrize("mode", MODES)
def test_a_batch_is_its_utterances_one_by_one(mechanism: Attention, mode: str) -> None:
    asked = queries(4, 8)
    together = attend(mechanism, mechanism.prepare(*padded(utterances())), asked, mode)
    for row, single in enumerate(utterances()):
        memory = mechanism.prepare(*padded([single]))
        alone = attend(mechanism, memory, [query[row : row + 1] for query in asked], mode)
        torch.testing.assert_close(
            rows([step.context for step in together], row), rows([s.context for s in alone], 0)
        )
        torch.testing.assert_close(
            rows([step.weights for step in together], row)[:, : len(single)],
            rows([s.weights for s in alone], 0),
        )


@pytest.mark.parametrize("mode", MODES)
def test_context_is_the_weighted_memory(mechanism: Attention, mode: str) -> None:
    values, valid = padded(utterances())
    for step in attend(mechanism, mechanism.prepare(values, valid), queries(4, 8), mode):
        assert step.context.shape == (4, MEMORY_DIM)
        assert step.weights.shape == valid.shape
        assert (step.weights[~valid] == 0).all()
        assert (step.weights >= 0).all()
        assert (step.weights.sum(1) <= 1 + 1e-6).all()
        expected = (step.weights.unsqueeze(-1) * values).sum(1)
        torch.testing.assert_close(step.context, expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("mode", MODES)
def test_an_utterance_of_one_entry_is_no_trouble(mechanism: Attention, mode: str) -> None:
    values, valid = padded([utterance(1)])
    memory = mechanism.prepare(values.requires_grad_(), valid)
    steps = attend(mechanism, memory, queries(1, 4), mode)
    assert all(step.context.isfinite().all() for step in steps)
    assert gradients_are_finite(mechanism, values, steps)


def test_every_parameter_learns(mechanism: Attention) -> None:
    values, valid = padded(utterances())
    memory = mechanism.prepare(values.requires_grad_(), valid)
    steps = attend(mechanism.train(), memory, queries(4, 3), "expected")
    target = torch.randn(3, 4, MEMORY_DIM, generator=torch.Generator().manual_seed(0))
    (torch.stack([step.context for step in steps]) - target).square().sum().backward()
    for name, parameter in mechanism.named_parameters():
        assert parameter.grad is not None, name
        assert (parameter.grad != 0).any(), name
        assert parameter.grad.isfinite().all(), name


@pytest.mark.parametrize("name", [name for name in HEADED if name != "mta"])
def test_an_output_teaches_the_outputs_before_it(name: str) -> None:
    """Where a scan begins depends on where the ones before it stopped."""
    mechanism = build(MECHANISMS[name])
    asked = [query.requires_grad_() for query in queries(4, 3)]
    last = attend(mechanism, mechanism.prepare(*padded(utterances())), asked, "expected")[-1]
    last.context.sum().backward()
    assert all((query.grad != 0).any() for query in asked)


@pytest.mark.parametrize("name", HEADED)
def test_the_arguments_of_the_head_have_the_same_types_and_defaults(name: str) -> None:
    """Each constructor writes them out, so that an experiment's configuration holds them all."""
    shared = inspect.signature(ScanningAttention).parameters
    own = inspect.signature(HEADED[name].func).parameters
    assert {each: own[each] for each in shared} == dict(shared)


@pytest.mark.parametrize("name", HEADED)
def test_the_head_is_told_each_update(name: str) -> None:
    mechanism = MECHANISMS[name](MEMORY_DIM, QUERY_DIM, ENERGY_DIM, noise_std=4.0, noise_ramp=10)
    mechanism.begin_update(5)
    assert mechanism.head.current_noise_std == 2


@pytest.mark.parametrize("rate", [1.0, 20.0])
@pytest.mark.parametrize("name", HEADED)
def test_every_gain_learns_at_its_rate(name: str, rate: float) -> None:
    factors = build(MECHANISMS[name], gain_rate=rate).learning_rate_factors()
    gains = {key for key, _ in build(MECHANISMS[name]).named_parameters() if key.endswith(".g")}
    assert factors == dict.fromkeys(gains, rate)
    assert gains


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("size", [100.0, 1e4, 1e30])
def test_energies_of_any_size_give_finite_gradients(
    mechanism: Attention, mode: str, size: float
) -> None:
    with torch.no_grad():
        for energy in mechanism.modules():
            if isinstance(energy, AdditiveEnergy):
                (energy.g if isinstance(energy, NormalisedEnergy) else energy.v).mul_(size)
    values, valid = padded(utterances())
    memory = mechanism.prepare(values.requires_grad_(), valid)
    steps = attend(mechanism, memory, queries(4, 6), mode)
    assert all(step.context.isfinite().all() for step in steps)
    assert gradients_are_finite(mechanism, values, steps)


@pytest.mark.parametrize("mode", MODES)
def test_keys_are_projected_once_per_utterance(mechanism: Attention, mode: str) -> None:
    energies = [m for m in mechanism.modules() if isinstance(m, AdditiveEnergy)]
    projected = []
    for energy in energies:
        energy.memory_projection.register_forward_hook(lambda *_: projected.append(1))
    memory = mechanism.prepare(*padded(utterances()))
    attend(mechanism, memory, queries(4, 10), mode)
    assert len(projected) == len(energies) == len(memory.keys)
    assert all(keys.projected.shape == (4, 9, ENERGY_DIM) for keys in memory.keys)


@pytest.mark.parametrize("mode", MODES)
def test_rows_can_be_chosen_between_outputs(mechanism: Attention, mode: str) -> None:
    """As a beam search does: each hypothesis goes on from its own memory and state."""
    memory, asked = mechanism.prepare(*padded(utterances())), queries(4, 6)
    before = attend(mechanism, memory, asked[:5], mode)[-1]
    step = mechanism.hard_step if mode == "hard" else mechanism.expected_step
    whole = step(asked[5], memory, before.state)
    chosen = torch.tensor([2, 0, 0])
    part = step(asked[5][chosen], memory.select(chosen), before.state[chosen])
    torch.testing.assert_close(part.context, whole.context[chosen])
    torch.testing.assert_close(part.state, whole.state[chosen])


@pytest.mark.parametrize("name", [*HEADED, "windowed", "local"])
def test_what_looks_at_a_few_entries_copies_no_memory_for_the_rows_that_share_it(
    name: str,
) -> None:
    mechanism = build(MECHANISMS[name]).eval()
    memory = mechanism.prepare(*padded(utterances()))
    shared = memory.select(torch.tensor([0, 0, 0, 2, 2]))
    state = mechanism.hard_start(memory)[shared.rows]
    mechanism.hard_step(queries(5, 1)[0], shared, state)
    assert "values" not in vars(shared)
    assert all("projected" not in vars(keys) for keys in shared.keys)


def test_rows_chosen_from_rows_are_those_of_the_utterances() -> None:
    memory = build(SoftAttention).prepare(*padded(utterances()))
    twice = memory.select(torch.tensor([3, 1, 0])).select(torch.tensor([2, 2, 1]))
    assert twice.rows.tolist() == [0, 0, 1]
    assert torch.equal(twice.values, memory.values[twice.rows])
    assert torch.equal(twice.valid, memory.valid[twice.rows])
    assert torch.equal(twice.lengths, memory.lengths[twice.rows])


@pytest.mark.parametrize("mode", MODES)
def test_memory_and_state_stay_as_they_are(mechanism: Attention, mode: str) -> None:
    values, valid = padded(utterances())
    memory = mechanism.prepare(values, valid)
    kept = [values.clone(), valid.clone(), *(keys.projected.clone() for keys in memory.keys)]
    steps = attend(mechanism, memory, queries(4, 5), mode)
    states = [step.state.clone() for step in steps]
    attend(mechanism, memory, queries(4, 5), mode)
    for now, before in zip(
        [values, valid, *(keys.projected for keys in memory.keys)], kept, strict=True
    ):
        assert torch.equal(now, before)
    assert all(torch.equal(s.state, b) for s, b in zip(steps, states, strict=True))


def test_states_of_the_same_mode_do_not_depend_on_the_random_state(mechanism: Attention) -> None:
    """Outside training nothing is drawn."""
    memory, asked = mechanism.prepare(*padded(utterances())), queries(4, 3)
    torch.manual_seed(1)
    state = torch.get_rng_state()
    for mode in MODES:
        attend(mechanism, memory, asked, mode)
    assert torch.equal(torch.get_rng_state(), state)


@pytest.mark.parametrize("cast", [False, True], ids=["autocast", "cast"])
@pytest.mark.parametrize("mode", MODES)
def test_half_precision(mechanism: Attention, mode: str, cast: bool) -> None:
    """Energies are rounded, what is carried from output to output is not."""
    values, valid = padded(utterances())
    if cast:
        mechanism, values = mechanism.bfloat16(), values.bfloat16()
    values.requires_grad_()
    with torch.autocast("cpu", torch.bfloat16, enabled=not cast):
        steps = attend(
            mechanism, mechanism.prepare(values, valid), queries(4, 4, dtype=values.dtype), mode
        )
    if steps[0].logits is not None:
        assert all(step.state.dtype in (torch.float32, torch.long) for step in steps)
    assert gradients_are_finite(mechanism, values, steps)
    if mode == "expected" and not cast:
        exact = attend(
            mechanism, mechanism.prepare(values, valid), queries(4, 4, dtype=values.dtype), mode
        )
        for half, full in zip(steps, exact, strict=True):
            torch.testing.assert_close(half.weights.float(), full.weights, rtol=0, atol=0.05)


def test_a_mechanism_of_one_s_own_needs_three_methods() -> None:
    class Mean(Attention):
        def prepare(self, values, valid):
            return Memory(values, valid)

        def expected_start(self, memory):
            return memory.values.new_empty(len(memory.values), 0)

        def expected_step(self, query, memory, state):
            weights = memory.valid / memory.valid.sum(1, keepdim=True)
            return Attended((weights.unsqueeze(-1) * memory.values).sum(1), weights, state)

    mean = Mean()
    mean.begin_update(3)
    values, valid = padded([utterance(4)])
    (step,) = attend(mean, mean.prepare(values, valid), queries(1, 1), "hard")
    torch.testing.assert_close(step.context, values.mean(1))


def test_hard_attention_is_without_noise_in_training_too(mechanism: Attention) -> None:
    memory = mechanism.prepare(*padded(utterances()))
    asked = queries(4, 5)
    tested = attend(mechanism.eval(), memory, asked, "hard")
    for step, same in zip(attend(mechanism.train(), memory, asked, "hard"), tested, strict=True):
        assert torch.equal(step.context, same.context)


@pytest.mark.parametrize(
    ("valid", "row"),
    [
        ([[True, True, True], [False, True, True]], 1),
        ([[True, False, True], [True, True, True]], 0),
        ([[True, True, False], [False, False, False]], 1),
    ],
)
def test_a_mask_with_a_gap_or_without_an_entry_is_refused(
    valid: list[list[bool]], row: int
) -> None:
    with pytest.raises(ValueError, match=rf"at least one, and False after them; row {row} of 2"):
        Memory(torch.randn(2, 3, MEMORY_DIM), torch.tensor(valid))


@pytest.mark.parametrize("name", HEADED)
def test_states_of_expected_attention_are_no_positions(name: str) -> None:
    mechanism = build(MECHANISMS[name]).eval()
    memory = mechanism.prepare(*padded(utterances()))
    with pytest.raises(TypeError, match="goes on from positions"):
        mechanism.hard_step(queries(4, 1)[0], memory, mechanism.expected_start(memory))


@pytest.mark.parametrize("name", HEADED)
def test_lazy_keys_are_for_hard_attention(name: str) -> None:
    mechanism = build(MECHANISMS[name]).eval()
    mechanism.keys_projected = "lazily"
    memory = mechanism.prepare(*padded(utterances()))
    with pytest.raises(TypeError, match="set keys_projected to 'once'"):
        mechanism.expected_step(queries(4, 1)[0], memory, mechanism.expected_start(memory))
