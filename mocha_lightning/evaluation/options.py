"""What may be asked of ``evaluate``."""

from dataclasses import dataclass

from jsonargparse import ArgumentParser, Namespace

from mocha_lightning.errors import UserError

METRICS = ("rouge", "wer", "exact_match")


@dataclass(frozen=True)
class Options:
    """What to score, and how.

    Args:
        run: a finished run's folder, or None.
        predictions: a file, or None.
        references: of the predictions, where they do not have them.
        metrics: by which to score a file; empty is the default.
        json: whether to print JSON.

    Raises:
        UserError: there is nothing to score, or two things that exclude each other are asked.
    """

    run: str | None
    predictions: str | None
    references: str | None
    metrics: tuple[str, ...]
    json: bool

    def __post_init__(self) -> None:
        if (self.run is None) == (self.predictions is None):
            raise UserError("give a finished run's folder, or else --predictions FILE")
        for name, given in (("references", self.references), ("metric", self.metrics)):
            if given and self.run is not None:
                raise UserError(
                    f"--{name}: is for --predictions alone (a run says its own): leave it out"
                )

    @classmethod
    def of(cls, given: Namespace) -> "Options":
        """From the command line."""
        metrics = tuple(dict.fromkeys(given.metric or ()))
        return cls(given.run, given.predictions, given.references, metrics, given.json)


def add_options(parser: ArgumentParser) -> None:
    """Add the options of ``evaluate`` to its parser."""
    parser.add_argument(
        "run", type=str, nargs="?", metavar="RUN", help="the folder of a finished run"
    )
    parser.add_argument(
        "--predictions",
        type=str,
        metavar="FILE",
        help="instead of a run: JSON lines (.jsonl) with hypothesis, reference and, if you like, "
        "id and source; or plain text, a text a line",
    )
    parser.add_argument(
        "--references",
        type=str,
        metavar="FILE",
        help="the references, where the predictions do not have them: JSON lines with reference "
        "and id, or plain text, a text a line",
    )
    parser.add_argument(
        "--metric",
        choices=METRICS,
        nargs="+",
        help="what to score a file by (default: rouge and exact_match)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
