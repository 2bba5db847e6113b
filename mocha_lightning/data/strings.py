"""Strings of spoken units such that no split holds a string of another."""

import numpy as np

from mocha_lightning.errors import UserError

EVALUATION_SHARE = 0.1
"""The most of all strings of one length that one evaluation split may take: training keeps the
larger part of the short ones too."""
ATTEMPTS = 1000


def draw_strings(
    generator: np.random.Generator,
    units: tuple[str, ...],
    min_units: int,
    max_units: int,
    counts: dict[str, int],
) -> dict[str, list[str]]:
    """Strings for each split; the length is uniform, then every unit is.

    An evaluation split holds a string once and takes at most a tenth of the strings of a length.
    The training split repeats a string only when it finds no new one.

    Args:
        generator: source of chance.
        units: what a string is made of.
        min_units: the fewest units of a string.
        max_units: the most units of a string.
        counts: strings wanted, by split; the first is the training split.

    Raises:
        UserError: there are too few strings for the evaluation splits.
    """
    train, *evaluation = counts
    taken: set[str] = set()
    strings: dict[str, list[str]] = {}
    for split in [*evaluation, train]:
        own: dict[str, None] = {}
        repeated: list[str] = []
        room = {
            length: int(len(units) ** length * EVALUATION_SHARE) if split != train else np.inf
            for length in range(min_units, max_units + 1)
        }
        while len(own) + len(repeated) < counts[split]:
            for attempt in range(ATTEMPTS):
                length = int(generator.integers(min_units, max_units + 1))
                text = " ".join(generator.choice(units, length))
                if text not in taken and text not in own and room[length] > 0:
                    own[text] = None
                    room[length] -= 1
                    break
                if split == train and text in own and attempt > ATTEMPTS // 10:
                    repeated.append(text)
                    break
            else:
                raise UserError(
                    f"data.{split}_utterances is {counts[split]}: strings of {min_units} to "
                    f"{max_units} of {len(units)} units are too few for so many that no other "
                    "split holds: lower it or raise data.max_words"
                )
        strings[split] = [*own, *repeated]
        taken |= set(own)
    return strings
