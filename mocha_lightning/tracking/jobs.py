"""What W&B is told of a run, each as a function of W&B's run, called in W&B's thread."""

import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

MOST_ROWS = 50
"""Rows of a table: to look at, not to evaluate."""
WRITTEN_SECONDS = 10
"""How long W&B may take to write what it has taken."""
BLOCK_BYTES, HEADER_BYTES = 32768, 7
"""Of W&B's file: each block begins with the header of what it holds, the rest of a record too."""


def log(step: int, scores: Mapping[str, float], pictures: Sequence[Path], run: Any) -> None:
    """Record all that belongs to a step."""
    # A run that goes on makes some steps again, to the same bits: W&B has them already.
    if step < run.starting_step:
        return
    # A NaN is a gap: the least of numbers among which there is one would be NaN for ever.
    numbers = {name: value for name, value in scores.items() if value == value}
    # At once: by default W&B waits for the next step, in case there is more for this one.
    run.log({"step": step, **numbers, **_images(pictures)}, step=step, commit=True)


def show(picture: Path, run: Any) -> None:
    """Record a picture that belongs to no step."""
    # Not in the history, whose steps are those of training.
    run.summary.update(_images([picture]))


def tabulate(name: str, records: Sequence[Mapping[str, Any]], run: Any) -> None:
    """Record a table of the first records."""
    import wandb

    columns: list[Any] = [
        key
        for key in dict.fromkeys(key for record in records for key in record)
        # Only what has a cell's size: an alignment has not.
        if all(isinstance(record.get(key), str | int | float | None) for record in records)
    ]
    rows: list[Any] = [[record.get(key) for key in columns] for record in records]
    run.summary.update({f"tables/{name}": wandb.Table(columns, rows, allow_mixed_types=True)})


def keep(
    checkpoint: Path, name: str, step: int, scores: Mapping[str, float], digest: str, run: Any
) -> None:
    """Record a checkpoint, with what is told of it."""
    import wandb

    metadata = {**scores, "step": step, "config_hash": digest}
    artifact = wandb.Artifact(name, type="model", metadata=metadata)
    # From where it lies: W&B's own copies would be in the user's home.
    artifact.add_file(
        str(checkpoint.absolute()), checkpoint.name, skip_cache=True, policy="immutable"
    )
    run.log_artifact(artifact, aliases=["best", f"step-{step}"])


def finish(exit_code: int, summary: Mapping[str, Any], tags: Sequence[str], run: Any) -> None:
    """Record what came out, and close the run.

    Raises:
        OSError: W&B has said nothing, but its file lacks the end, as on a full disk.
    """
    if tags:
        run.tags = (*run.tags, *tags)
    ended = datetime.now(UTC).isoformat()
    run.summary.update({**summary, "ended_at": ended})
    run.finish(exit_code=exit_code)
    file = Path(run.settings.sync_file)
    deadline = time.monotonic() + WRITTEN_SECONDS
    while not _holds(file, ended):
        if time.monotonic() > deadline:
            raise OSError(f"{file} lacks the end: is the disk full?")
        time.sleep(0.02)


def _images(pictures: Sequence[Path]) -> dict[str, Any]:
    if not pictures:
        return {}
    import wandb

    return {f"pictures/{each.stem}": wandb.Image(str(each)) for each in pictures}


def _holds(file: Path, text: str) -> bool:
    content = file.read_bytes() if file.exists() else b""
    starts = range(0, len(content), BLOCK_BYTES)
    return text.encode() in b"".join(content[s + HEADER_BYTES : s + BLOCK_BYTES] for s in starts)
