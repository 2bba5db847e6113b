"""What the parts of a signature mean."""

from pathlib import Path

import pytest

from mocha_lightning.report.reading import read_result
from mocha_lightning.report.signature_legend import record_legend, signature_legend
from mocha_lightning.summarizer.search import Search
from mocha_lightning.summarizer.signatures import signatures

from .conftest import Folder, put
from .test_markdown import page

GREEDY, BEAM = (Search(3.0, 0.9, 60, 5).signature(width) for width in (1, 8))
UNEXPLAINED = {"rouge2", "F1, mean of documents"}


@pytest.mark.parametrize("name", ["rouge2", "rouge2_greedy", "rouge2_expected"])
def test_every_part_of_a_summary_s_score_is_explained(name: str) -> None:
    signature = signatures(GREEDY, BEAM)[name]
    parts = {part for part in signature.split("|") if not part.startswith("rouge-score")}
    assert set(signature_legend([signature])) == parts - UNEXPLAINED


def test_only_what_is_there_is_explained_and_once() -> None:
    found = signature_legend(["wer|attention:hard|most:16", "wer|attention:hard|most:16|most:x"])
    assert list(found) == ["attention:hard", "most:16"]


def test_the_page_explains_them_and_the_columns_of_runs(runs: Folder) -> None:
    assert "Of `runs.csv`:" not in page(runs)
    for variant in ("soft", "mocha_w2"):
        runs.change_all(variant, put("metrics.test/wer.signature", "wer|search:beam-8|threshold:3"))
        runs.change_all(variant, put("metrics.test/copied", {"value": 0.5, "signature": "share"}))
    text = page(runs)
    assert "- **threshold:3**: a hypothesis goes" in text
    assert "- **copied**: share of probability" in text
    assert "unknown_words" not in text
    assert list(record_legend([read_result(Path(runs.file("soft", 0)))])) == ["copied"]
