"""The reordering figure: what a variant can copy, against how far its text is reordered."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from mocha_lightning.report.content import Report
from mocha_lightning.report.groups import REVERSED
from mocha_lightning.report.measures import EXACT_MATCH
from mocha_lightning.report.results import Result

if TYPE_CHECKING:
    from mocha_lightning.pictures.reordering import Curve


def reordering_files(report: Report) -> dict[str, bytes]:
    """Draw the figure for screens and for print; nothing where there are no two distances."""
    distances = report.texts.sizes.distances
    if len(distances) < 2 or not report.texts.distances:
        return {}
    # Half a second to import, and needed only where there is something to draw.
    from mocha_lightning.pictures.figure import pdf, png
    from mocha_lightning.pictures.reordering import (
        DOTS_AN_INCH,
        Documents,
        draw_reordering,
    )

    documents = Documents(distances, report.texts.sizes.orders.get(REVERSED, 0))
    figure = draw_reordering(list(_curves(report)), documents)
    return {"reordering.png": png(figure, DOTS_AN_INCH), "reordering.pdf": pdf(figure)}


def reordering_records(report: Report) -> Iterator[dict[str, object]]:
    """The figure's numbers: a record for each variant at each distance, and in reversed order."""
    for row in report.texts.distances:
        spread = row.exact_match
        yield {
            **{"variant": row.variant, "order": "normal", "distance": row.distance},
            **{"documents": row.documents, "mean": spread.mean, "sd": spread.sd},
            **{f"seed {seed}": value for seed, value in spread.values.items()},
        }
    for group in report.texts.groups:
        if group.order == REVERSED and report.texts.distances:
            spread = group.scores[EXACT_MATCH]
            yield {
                **{"variant": group.variant, "order": REVERSED, "distance": None},
                **{"documents": group.documents, "mean": spread.mean, "sd": spread.sd},
                **{f"seed {seed}": value for seed, value in spread.values.items()},
            }


def _curves(report: Report) -> "Iterator[Curve]":
    from mocha_lightning.pictures.reordering import Curve

    normal: dict[str, dict[int, Sequence[float]]] = {}
    for row in report.texts.distances:
        at = normal.setdefault(row.variant, {})
        at[row.distance] = tuple(row.exact_match.values.values())
    turned = {
        row.variant: tuple(row.scores[EXACT_MATCH].values.values())
        for row in report.texts.groups
        if row.order == REVERSED
    }
    firsts = {run.variant: run for run in reversed(report.runs) if run.variant in normal}
    runs = legend_order([firsts[variant] for variant in normal])
    names = [_name(run) for run in runs]
    for run, name in zip(runs, names, strict=True):
        yield Curve(
            # Of two that differ in something else than w, only the experiment's names tell which.
            name if names.count(name) == 1 else run.variant,
            _chunk_size(run),
            normal[run.variant],
            turned.get(run.variant),
        )


def legend_order(runs: Sequence[Result]) -> list[Result]:
    """Order runs by w, the largest first, hard monotonic attention with its single entry last.

    What has no w comes before them or after them, as it stands in the experiment.
    """
    reaches = [1 if _class(run) == "MonotonicAttention" else _chunk_size(run) for run in runs]
    reaching = [place for place, reach in enumerate(reaches) if reach is not None]
    before = [place for place in range(len(runs)) if place < min(reaching, default=0)]
    falling = sorted(
        reaching, key=lambda place: (-(reaches[place] or 0), _chunk_size(runs[place]) is None)
    )
    after = [place for place in range(len(runs)) if place not in {*before, *reaching}]
    return [runs[place] for place in (*before, *falling, *after)]


def _name(run: Result) -> str:
    size, written = _chunk_size(run), _class(run)
    if size is not None:
        return f"{written}, w = {size}"
    # In lower case a mechanism's own name is hard to recognise: matcha is MAtChA.
    return written if run.variant.lower() == written.lower() else run.variant.replace("_", " ")


def _class(run: Result) -> str:
    return str(_attention(run).get("class_path", "")).rpartition(".")[2]


def _chunk_size(run: Result) -> int | None:
    size = _attention(run).get("init_args", {}).get("chunk_size")
    return size if isinstance(size, int) else None


def _attention(run: Result) -> dict[str, Any]:
    found = run.config["task"].get("init_args", {}).get("attention")
    return found if isinstance(found, dict) else {}
