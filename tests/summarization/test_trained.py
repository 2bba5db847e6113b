"""A finished run's folder is all that its scores and summaries take."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from drawn import spec_of
from experiment.running import run_in_process

from mocha_lightning.cli import main
from mocha_lightning.data import DocumentFile
from mocha_lightning.summarization.trained import load_summarization

from .runs import METRIC, config_of


def test_a_run_is_of_use_when_its_corpus_is_gone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for split, count in (("train", 4), ("validation", 2), ("test", 3)):
        rows = (
            {"document": f"The cat saw gnu{number}. It ran.", "summary": f"Gnu{number}."}
            for number in range(count)
        )
        (corpus / f"{split}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    places = {split: str(corpus / f"{split}.jsonl") for split in ("train", "validation", "test")}
    arguments = {**places, "cache_dir": str(tmp_path / "cache"), "batch_size": 2, "source_words": 7}
    data = DocumentFile(**arguments)
    data.jobs = 1
    data.prepare_data()
    data.setup()
    config = config_of("MoChA")
    config["data"]["init_args"] = arguments
    run = tmp_path / "run"
    spec = replace(spec_of(config, METRIC), data_sha256=data.sha256, places=data.places)
    assert run_in_process(spec, run) == 0, (run / "log.txt").read_text()
    shutil.rmtree(corpus)
    shutil.rmtree(tmp_path / "cache")

    with pytest.raises(SystemExit) as caught:
        main(["evaluate", str(run), "--json"])
    assert not caught.value.code
    found = json.loads(capsys.readouterr().out)
    assert (found["texts"], found["equals_result"]) == (3, True)

    summarization = load_summarization(run)
    assert summarization.frontend == data.frontend
    records = map(json.loads, (run / "predictions.jsonl").open())
    for record in records:
        document = tmp_path / "document.txt"
        document.write_text(record["source"])
        with pytest.raises(SystemExit):
            main(["summarize", str(document), "--checkpoint", str(run)])
        assert capsys.readouterr().out.rstrip("\n") == record["hypothesis"]
    weights = torch.load(run / "checkpoints" / "best.ckpt", weights_only=True)["state_dict"]
    for name, value in summarization.summarizer.state_dict().items():
        assert torch.equal(value, weights[name])
