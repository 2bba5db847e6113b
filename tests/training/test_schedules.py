"""Learning-rate schedules: the paper's numbers, and the rates that an optimiser really gets."""

import pytest
import torch

from mocha_lightning.training.schedules import ExponentialDecay, StepDecay


@pytest.mark.parametrize(
    ("step", "rate"),
    [
        (0, 1e-3),
        (599_999, 1e-3),
        (600_000, 1e-4),
        (799_999, 1e-4),
        (800_000, 1e-5),
        (999_999, 1e-5),
        (1_000_000, 1e-6),
        (2_000_000, 1e-6),
    ],
)
def test_speech_drops_by_ten_at_the_paper_s_steps(step: int, rate: float) -> None:
    assert 1e-3 * StepDecay()(step) == pytest.approx(rate)


def test_steps_and_factor_can_be_set() -> None:
    schedule = StepDecay([2, 5], factor=0.5)
    assert [schedule(step) for step in range(7)] == [1, 1, 0.5, 0.5, 0.5, 0.25, 0.25]


@pytest.mark.parametrize(
    ("step", "rate"),
    [
        (0, 5e-4),
        (50_000, 5e-4),
        (60_000, 2.5e-4),
        (65_000, 2.5e-4 / 2**0.5),
        (70_000, 1.25e-4),
        (80_000, 6.25e-5),
        (84_000, 5e-5),
        (1_000_000, 5e-5),
    ],
)
def test_summaries_halve_every_ten_thousand_steps_down_to_the_paper_s_floor(
    step: int, rate: float
) -> None:
    assert 5e-4 * ExponentialDecay()(step) == pytest.approx(rate, rel=1e-4)


def test_the_paper_has_no_warm_up() -> None:
    assert ExponentialDecay()(0) == 1


def test_the_rate_grows_linearly_over_the_warm_up() -> None:
    schedule = ExponentialDecay(start=10, halving_steps=5, floor=0.5, warmup=4)
    assert [schedule(step) for step in range(6)] == [0.25, 0.5, 0.75, 1, 1, 1]
    assert schedule(15) == 0.5


@pytest.mark.parametrize("halving_steps", [0, -1])
def test_a_half_life_is_positive(halving_steps: int) -> None:
    with pytest.raises(ValueError, match="halving_steps must be positive"):
        ExponentialDecay(halving_steps=halving_steps)


def test_a_warm_up_is_not_negative() -> None:
    with pytest.raises(ValueError, match="warmup cannot be negative"):
        ExponentialDecay(warmup=-1)


@pytest.mark.parametrize("schedule", [StepDecay([3]), ExponentialDecay(2, 2, 0.25, warmup=2)])
def test_an_optimiser_goes_on_where_it_stood(schedule) -> None:
    """Saved with the optimiser and loaded into a new one, the rates go on as uninterrupted."""

    def started():
        optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=0.2)
        return optimizer, torch.optim.lr_scheduler.LambdaLR(optimizer, schedule)

    def advance(optimizer, scheduler, steps: int) -> list[float]:
        rates = []
        for _ in range(steps):
            rates.append(optimizer.param_groups[0]["lr"])
            optimizer.step()
            scheduler.step()
        return rates

    whole = advance(*started(), 8)
    assert whole == pytest.approx([0.2 * schedule(step) for step in range(8)])
    first = started()
    rates = advance(*first, 3)
    second = started()
    for part, saved in zip(second, first, strict=True):
        part.load_state_dict(saved.state_dict())
    assert rates + advance(*second, 5) == pytest.approx(whole)


@pytest.mark.parametrize("floor", [-0.1, 1.1])
def test_a_floor_is_a_share(floor: float) -> None:
    with pytest.raises(ValueError, match="floor must be from 0 to 1"):
        ExponentialDecay(floor=floor)


def test_a_rate_is_never_divided_into_nothing() -> None:
    with pytest.raises(ValueError, match="factor must be positive, not 0"):
        StepDecay(factor=0)
