"""``benchmarks/summarizer_step.py``."""

import pytest
import summarizer_step
from summarizer_step import Size

from .tables import number, read_table

SMALL = {
    **{"embedding_dim": 4, "encoder_dim": 4, "decoder_dim": 4},
    **{"output_embedding_dim": 4, "energy_dim": 4},
}
TINY = Size(vocabulary=20, source=6, unknown=2, target=3, model=SMALL)


def test_the_default_is_the_papers_size() -> None:
    assert Size(vocabulary=50_000, source=400, target=100, model={}) == summarizer_step.PAPER


def test_every_batch_of_every_mechanism_has_a_row(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Processes that load PyTorch take seconds.
    monkeypatch.setattr(summarizer_step, "in_a_process_of_its_own", summarizer_step.measure)
    monkeypatch.setattr(summarizer_step, "PAPER", TINY)
    summarizer_step.main(["--batches", "4", "2", "--mechanisms", "soft", "mocha_w8"])
    rows = read_table(capsys.readouterr().out)
    assert [(row["mechanism"], row["batch"]) for row in rows] == [
        *(("soft", "2"), ("soft", "4")),
        *(("mocha_w8", "2"), ("mocha_w8", "4")),
    ]
    assert all(number(row["seconds"]) > 0 and number(row["peak MiB"]) > 50 for row in rows)
    sizes = [int(row["parameters"].replace(",", "")) for row in rows]
    assert sizes[0] == sizes[1] < sizes[2]


def test_the_estimate_is_where_a_straight_line_meets_what_there_is() -> None:
    """1,000 MiB and 100 for each document; 0.9 of 24 GB are 20,599 MiB.

    Small batches may lie above the line: what they need is needed elsewhere.
    """
    assert summarizer_step.largest_batch([8, 16, 32], [2500, 2600, 4200], 24) == "about 195"
    assert summarizer_step.largest_batch([8], [1800], 24) == ""
    assert summarizer_step.largest_batch([8, 16], [1800, 1800], 24) == ""
    assert summarizer_step.largest_batch([1, 2], [30_000, 40_000], 24) == "about 0"
