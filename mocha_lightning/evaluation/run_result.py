"""What a finished run's ``result.json`` says of its scores."""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mocha_lightning.data.vocabulary import Vocabulary
from mocha_lightning.errors import UserError
from mocha_lightning.evaluation.records import HYPOTHESIS, Predictions
from mocha_lightning.evaluation.scoring import Metric, Scores
from mocha_lightning.experiment.places import PREDICTIONS, RESULT
from mocha_lightning.experiment.schema import COMPLETED, check_known

TOLERANCE = 1e-6
"""What a score may differ by, relative to it: results went through 32-bit numbers."""
REMEDY = "give the folder of a finished run, such as runs/demo/mocha_w2/seed-0"


@dataclass(frozen=True)
class RunResult:
    """The scores of a run on its test set.

    Attributes:
        path: of the file.
        metrics: value and signature by name.
        examples: of the test set; None where the corpus does not say how many.
    """

    path: Path
    metrics: dict[str, dict[str, Any]]
    examples: int | None

    @classmethod
    def read(cls, run: Path) -> "RunResult":
        """Read it.

        Raises:
            UserError: the run is not there, not finished, or has diverged; or it has scores of no
                texts.
        """
        path = run / RESULT
        if not run.is_dir():
            raise UserError(f"{run}: is no folder: {REMEDY}")
        if not path.is_file():
            raise UserError(f"{run}: has no {RESULT}: {REMEDY}")
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            metrics = {str(name): dict(each) for name, each in content["metrics"].items()}
            ended = str(content["ended"])
            schema = content.get("schema")
            known = all(isinstance(each["signature"], str) for each in metrics.values())
            known &= all(_is_score(each["value"]) for each in metrics.values())
            examples = _examples(content.get("data", {}))
            known &= isinstance(examples, int | None)
        except (
            *(OSError, ValueError, LookupError, TypeError, AttributeError),
            *(OverflowError, RecursionError),
        ):
            known, schema = False, None
        check_known(path, schema)
        if not known:
            raise UserError(f"{path}: is no whole result: do the run again")
        if not (run / PREDICTIONS).is_file():
            why = f"has no {PREDICTIONS}" if ended == COMPLETED else f"has diverged ({ended})"
            raise UserError(f"{run}: {why}, so there are no predictions to score: {REMEDY}")
        result = cls(path, metrics, examples)
        if not result.of:
            raise UserError(f"{path}: has neither ROUGE nor a word error rate: {REMEDY}")
        return result

    @property
    def run(self) -> Path:
        """The run's folder."""
        return self.path.parent

    @property
    def of(self) -> tuple[Metric, ...]:
        """What its predictions are scored by; nothing where it has neither."""
        if "test/rouge1" in self.metrics:
            return ("rouge", "exact_match")
        return ("wer",) if "test/wer" in self.metrics else ()

    def scored(self, predictions: Predictions) -> Predictions:
        """Its texts as they were scored: speech without symbols that are nothing said.

        Raises:
            UserError: there are not as many as its test set has.
        """
        texts = len(predictions.references)
        if self.examples is not None and texts != self.examples:
            raise UserError(
                f"{self.run / PREDICTIONS}: has {texts:,} texts, and the test set that "
                f"{self.path.name} tells of has {self.examples:,}: do the run again"
            )
        signature = self.metrics.get("test/wer", {}).get("signature", "")
        _, without, symbols = signature.partition("|without:")
        unscored = tuple(symbols.partition("|")[0].split(",")) if without else ()
        scored = Vocabulary(unscored, unscored).scored
        return replace(
            predictions,
            references=[*map(scored, predictions.references)],
            systems={name: [*map(scored, texts)] for name, texts in predictions.systems.items()},
        )

    def differences(self, scores: Mapping[str, Scores]) -> list[str]:
        """Where the scores of its systems are not those of the file, in words."""
        found, missed = (
            [],
            {
                name
                for name in self.metrics
                if name.startswith(tuple(f"test/{each}" for each in next(iter(scores.values()))))
            },
        )
        for system, by_name in scores.items():
            for name, score in by_name.items():
                key = f"test/{name}{system.removeprefix(HYPOTHESIS)}"
                missed.discard(key)
                value = self.metrics.get(key, {}).get("value")
                if value is None:
                    found.append(f"{key} is {score.value:.6f}, and {self.path} has none")
                elif not math.isclose(value, score.value, rel_tol=TOLERANCE, abs_tol=TOLERANCE):
                    found.append(f"{key} is {score.value:.6f}, and {value:.6f} in {self.path}")
        return [*found, *(f"{key}: there are no predictions of it" for key in sorted(missed))]

    def signatures(self, names: Iterable[str]) -> dict[str, str]:
        """How some of its test scores were computed and the hypotheses found."""
        return {name: str(self.metrics.get(f"test/{name}", {}).get("signature")) for name in names}


def _is_score(value: object) -> bool:
    """Whether it is a number, or null for none.

    Raises:
        OverflowError: it is one that nothing computes with.
    """
    if value is None:
        return True
    return isinstance(value, float | int) and type(value) is not bool and math.isfinite(value)


def _examples(data: Mapping[str, Any]) -> int | None:
    """How many the test set has, where the corpus describes its splits."""
    test = data.get("description", {}).get("splits", {}).get("test", {})
    count: int | None = test.get("documents", test.get("utterances"))
    return count
