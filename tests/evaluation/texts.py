"""Texts to score, and runs' folders as far as scores go."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from commands import Ended
from rouge_score.rouge_scorer import RougeScorer

RECORDS = [
    {
        "id": f"d{number}",
        "source": f"first {number} .\nsecond word .\nthird cat .\nfourth .",
        "reference": reference,
        "hypothesis": hypothesis,
    }
    for number, (reference, hypothesis) in enumerate(
        (
            ("the cat sat .", "the cats sat ."),
            ("a dog ran .\nit slept .", "it slept .\na dog ."),
            ("third cat .", "Third cat ."),
            ("one two three .", "four ."),
        )
    )
]


def write(name: str, records: list[Any]) -> str:
    Path(name).write_text("".join(f"{json.dumps(each)}\n" for each in records))
    return name


def without(records: list[dict[str, Any]], *names: str) -> list[dict[str, Any]]:
    return [{key: each[key] for key in each if key not in names} for each in records]


def flat(text: str) -> str:
    """Without line ends."""
    return " ".join(text.split())


def f1(name: str, references: list[str], hypotheses: list[str]) -> float:
    scorer = RougeScorer([name], use_stemmer=True)
    pairs = zip(references, hypotheses, strict=True)
    return 100 * float(np.mean([scorer.score(*pair)[name].fmeasure for pair in pairs]))


def scores(ended: Ended) -> dict[str, Any]:
    assert ended.code == 0, ended.err
    found: dict[str, Any] = json.loads(ended.out)
    return found


def finished(folder: str, records: list[dict[str, Any]], metrics: dict[str, Any]) -> str:
    """A run's folder as far as its scores go."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    write(f"{folder}/predictions.jsonl", records)
    result = {"metrics": metrics, "ended": "completed"}
    Path(folder, "result.json").write_text(json.dumps(result))
    return folder


def stored(value: float, signature: str = "signature") -> dict[str, Any]:
    """As a result has it: through a 32-bit number."""
    return {"value": float(np.float32(value)), "signature": signature}


def of_documents(**changes: float) -> dict[str, Any]:
    references = [each["reference"] for each in RECORDS]
    hypotheses = [each["hypothesis"] for each in RECORDS]
    names = ("rouge1", "rouge2", "rougeL", "rougeLsum")
    values = {name: f1(name, references, hypotheses) for name in names} | {"exact_match": 25.0}
    values |= {f"{name}_greedy": 0.0 for name in values} | changes
    return {
        **{f"test/{name}": stored(value) for name, value in values.items()},
        "val/rouge1": stored(1.0),
        "test/loss": stored(2.0),
    }


GREEDY = [{**each, "hypothesis_greedy": "nothing"} for each in RECORDS]
