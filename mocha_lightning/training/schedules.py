"""Learning-rate schedules: each maps the number of updates made to a factor on the initial rate."""

from collections.abc import Sequence


class StepDecay:
    """Divide the rate by a constant at given steps (Appendix A.1).

    Args:
        steps: the updates after which the rate drops.
        factor: what it is multiplied with at each.

    Raises:
        ValueError: a factor that is not positive.
    """

    def __init__(
        self, steps: Sequence[int] = (600_000, 800_000, 1_000_000), factor: float = 0.1
    ) -> None:
        if factor <= 0:
            raise ValueError(f"factor must be positive, not {factor}")
        self.steps = tuple(steps)
        self.factor = factor

    def __call__(self, step: int) -> float:
        """The factor after ``step`` updates."""
        return self.factor ** sum(step >= drop for drop in self.steps)


class ExponentialDecay:
    """Keep the rate until a step, then halve it steadily down to a floor (Appendix A.2).

    Args:
        start: the update at which the decay begins.
        halving_steps: updates in which the rate halves.
        floor: the smallest factor once the decay has begun.
        warmup: updates over which the rate first grows linearly to its full value; the paper has
            none. A large gain needs it: without it a monotonic head saturates before there is
            anything to attend to.

    Raises:
        ValueError: a half-life that is not positive, a floor outside [0, 1], a negative warm-up.
    """

    def __init__(
        self,
        start: int = 50_000,
        halving_steps: int = 10_000,
        floor: float = 0.1,
        warmup: int = 0,
    ) -> None:
        if halving_steps <= 0:
            raise ValueError(f"halving_steps must be positive, not {halving_steps}")
        if not 0 <= floor <= 1:
            raise ValueError(f"floor must be from 0 to 1, not {floor}")
        if warmup < 0:
            raise ValueError(f"warmup cannot be negative: {warmup}")
        self.start = start
        self.warmup = warmup
        self.halving_steps = halving_steps
        self.floor = floor

    def __call__(self, step: int) -> float:
        """The factor after ``step`` updates."""
        if step < self.warmup:
            return (step + 1) / self.warmup
        decayed: float = 0.5 ** (max(0, step - self.start) / self.halving_steps)
        return max(self.floor, decayed)
