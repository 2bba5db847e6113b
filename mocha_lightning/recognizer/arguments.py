"""Numbers that no model can have, refused by the argument's name."""


def check_sizes(**sizes: int) -> None:
    """Check counts and widths.

    Raises:
        ValueError: one is below 1.
    """
    for name, size in sizes.items():
        if size < 1:
            raise ValueError(f"{name} must be at least 1, not {size}")


def check_positive(**amounts: float) -> None:
    """Check rates and the like.

    Raises:
        ValueError: one is 0 or less.
    """
    for name, amount in amounts.items():
        if amount <= 0:
            raise ValueError(f"{name} must be positive, not {amount}")


def check_not_negative(**amounts: float) -> None:
    """Check weights, deviations and the like, which may be 0.

    Raises:
        ValueError: one is below 0.
    """
    for name, amount in amounts.items():
        if amount < 0:
            raise ValueError(f"{name} cannot be negative: {amount}")
