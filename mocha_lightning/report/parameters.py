"""How many parameters models have, as a page and as a table of numbers."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.sizes import Sizes
from mocha_lightning.experiment.whole_files import write_whole
from mocha_lightning.report.csv_rows import csv
from mocha_lightning.report.formats import percent

PAPER = (
    'The paper says that MoChA\'s second energy function makes "about 1 %" more parameters in its '
    "speech recogniser (sections 2.4 and 4.1), and gives no number of parameters; the sizes above "
    "are those of its Appendix A, where it names one. Monotonic attention has two parameters more "
    "than soft attention: the gain g and the offset r of its energy (eq. 13)."
)
TOTAL = "total"


def parameters_page(counted: Sequence[Sizes], origin: str) -> str:
    """A table for each experiment: a row for each part, a column for each variant.

    Args:
        counted: the experiments.
        origin: the line that says how they were counted.
    """
    parts = ["# Parameters", *(part for each in counted for part in _section(each)), PAPER, origin]
    return "\n\n".join(parts) + "\n"


def write_parameters(counted: Sequence[Sizes], page: str, reports_folder: Path) -> Path:
    """Write `reports/parameters/`: `table.md` and `table.csv`; give the folder.

    Args:
        counted: the experiments.
        page: that of :func:`parameters_page`.
        reports_folder: the folder of all reports.

    Raises:
        UserError: they cannot be written.
    """
    folder = reports_folder / "parameters"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / "table.md", page)
        records = (record for each in counted for record in _records(each))
        write_whole(folder / "table.csv", csv(records))
    except OSError as error:
        raise UserError(f"{folder}: cannot write the report: {error.strerror}") from error
    return folder


def _section(sizes: Sizes) -> Iterator[str]:
    names = dict.fromkeys(part for parts in sizes.parts.values() for part in parts)
    rows = [
        [name, *(_counted(parts.get(name)) for parts in sizes.parts.values())]
        for name in names
        if any(parts.get(name) for parts in sizes.parts.values())
    ]
    rows.append([TOTAL, *map(_counted, sizes.totals.values())])
    for baseline in sizes.baselines:
        shares = [sizes.beside(baseline, variant) for variant in sizes.totals]
        rows.append([f"beside {baseline}", *(percent(each, 2, sign=True) for each in shares)])
    frame = pd.DataFrame(rows, columns=["part", *sizes.totals])
    align = ["left", *["right"] * len(sizes.totals)]
    yield f"## {sizes.experiment}"
    yield frame.to_markdown(index=False, colalign=align, disable_numparse=True)


def _counted(number: int | None) -> str:
    return "" if number is None else f"{number:,}"


def _records(sizes: Sizes) -> Iterator[dict[str, object]]:
    for variant, parts in sizes.parts.items():
        for part, number in parts.items():
            yield _record(sizes, variant, part, number)
        shares = {f"beside_{name}": sizes.beside(name, variant) for name in sizes.baselines}
        yield _record(sizes, variant, TOTAL, sizes.totals[variant]) | shares


def _record(sizes: Sizes, variant: str, part: str, number: int) -> dict[str, object]:
    return {
        "experiment": sizes.experiment,
        "variant": variant,
        "part": part,
        "parameters": number,
    }
