"""What is in the prepared data of an experiment, as JSON and as tables."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from mocha_lightning.data.recorded import UNKNOWN_SPEAKER, RecordedSpeech
from mocha_lightning.data.sealing import DROPPED
from mocha_lightning.data.speech import SpeechData, SpeechSplit
from mocha_lightning.experiment.corpora import Corpus
from mocha_lightning.experiment.shown import columns

MIB = 1 << 20
SHOWN = 5
"""Utterances that were left out of which the reason is told; the file has all."""


def facts_of(corpus: Corpus) -> dict[str, Any]:
    """What there is to know of data that are prepared and set up, as JSON can hold it.

    Of speech all that is counted; of other data what they say of themselves.
    """
    data = corpus.data
    facts = {"name": data.name, "variants": corpus.variants, "sha256": data.sha256}
    if not isinstance(data, SpeechData):
        return {**facts, "description": data.describe()}
    files = [path for path in data.folder.iterdir() if path.is_file()]
    return {
        **facts,
        "folder": str(data.folder),
        "bytes": sum(path.stat().st_size for path in files),
        "splits": {
            name: _split_facts(split, _speakers(data.splits["train"]))
            for name, split in data.splits.items()
        },
        "vocabulary": {"size": len(data.vocabulary), "symbols": list(data.vocabulary.symbols)},
        "features": {
            "sample_rate": data.features.sample_rate,
            "mel_bins": data.features.mel_bins,
            "deltas": data.features.deltas,
        },
        "left_out": _left_out(data) if isinstance(data, RecordedSpeech) else None,
    }


def _speakers(split: SpeechSplit) -> set[str]:
    """Those that are known."""
    return {item.speaker for item in split.utterances} - {UNKNOWN_SPEAKER}


def _split_facts(split: SpeechSplit, trained_on: set[str]) -> dict[str, Any]:
    seconds = [item.seconds for item in split.utterances]
    texts = [item.text for item in split.utterances]
    return {
        "utterances": len(texts),
        "hours": sum(seconds) / 3600,
        "speakers": len(_speakers(split)),
        "speakers_in_training": len(_speakers(split) & trained_on),
        "words": sum(len(text.split()) for text in texts),
        "distinct_transcripts": len(set(texts)),
        "mean_seconds": sum(seconds) / len(seconds) if seconds else 0.0,
        "max_seconds": max(seconds, default=0.0),
    }


def _left_out(data: RecordedSpeech) -> dict[str, Any]:
    dropped = data.dropped()
    return {
        "counts": data.dropped_counts(),
        "first": [str(item) for item in dropped[:SHOWN]],
        "file": str(data.folder / DROPPED),
    }


def print_facts(facts: Mapping[str, Any], console: Console) -> None:
    """Print what :func:`facts_of` has found."""
    for line in _lines(facts):
        if isinstance(line, Table):
            console.print(line)
        else:
            console.print(Text(line), soft_wrap=True)


def _lines(facts: Mapping[str, Any]) -> Iterator[str | Table]:
    yield f"{facts['name']}, of {', '.join(facts['variants'])}"
    if "folder" in facts:
        yield f"folder: {Path(facts['folder'])} ({facts['bytes'] / MIB:,.1f} MiB)"
    yield f"SHA-256: {facts['sha256']}"
    if "description" in facts:
        yield from _described(facts["description"])
    else:
        named = any(split["speakers"] for split in facts["splits"].values())
        yield _table(facts["splits"], named)
        if not named:
            yield "no speaker is named: whether a split has those of training cannot be told"
        symbols = " ".join("space" if each == " " else each for each in _symbols(facts))
        marks = facts["vocabulary"]["size"] - len(_symbols(facts))
        yield f"vocabulary: {facts['vocabulary']['size']} outputs: {marks} marks, {symbols}"
        features = facts["features"]
        deltas = "with" if features["deltas"] else "without"
        yield (
            f"features: {features['mel_bins']} log-mel bins {deltas} differences in time, of audio "
            f"at {features['sample_rate']} Hz"
        )
        if facts["left_out"] is not None:
            yield from _left_out_lines(facts["left_out"])
    yield ""


def _described(description: Mapping[str, Any]) -> Iterator[str | Table]:
    """What a corpus says of itself: what it says of its splits in a table, the rest in lines."""
    for name, value in description.items():
        title = name.replace("_", " ")
        if not isinstance(value, Mapping):
            yield f"{title}: {value}"
        elif all(isinstance(each, Mapping) for each in value.values()):
            names = list(dict.fromkeys(key for each in value.values() for key in each))
            if names:
                yield _columns(value, [(key.replace("_", " "), key, None) for key in names])
            else:
                yield f"{title}: nothing"
        else:
            yield f"{title}: {', '.join(f'{key}: {each}' for key, each in value.items())}"


def _symbols(facts: Mapping[str, Any]) -> Sequence[str]:
    symbols: Sequence[str] = facts["vocabulary"]["symbols"]
    return symbols


def _table(splits: Mapping[str, Mapping[str, Any]], with_speakers: bool) -> Table:
    speakers = (
        ("speakers", "speakers", ",d"),
        ("of these in training", "speakers_in_training", ",d"),
    )
    return _columns(
        splits,
        (
            ("utterances", "utterances", ",d"),
            ("hours", "hours", ",.2f"),
            *(speakers if with_speakers else ()),
            ("words", "words", ",d"),
            ("distinct transcripts", "distinct_transcripts", ",d"),
            ("mean length, s", "mean_seconds", ".2f"),
            ("greatest length, s", "max_seconds", ".2f"),
        ),
    )


def _columns(
    splits: Mapping[str, Mapping[str, Any]], rows: Sequence[tuple[str, str, str | None]]
) -> Table:
    """A column for each split, a row for each (label, name, format of its numbers)."""
    table = columns([""], splits)
    for label, name, form in rows:
        cells = (_cell(split.get(name), form) for split in splits.values())
        table.add_row(Text(label), *map(Text, cells))
    return table


def _cell(value: Any, form: str | None) -> str:
    if value is None:
        return ""
    if form is None:
        form = ",.4g" if isinstance(value, float) else ",d" if isinstance(value, int) else "s"
    return format(value if form != "s" else str(value), form)


def _left_out_lines(dropped: Mapping[str, Any]) -> Iterator[str]:
    counts = [
        f"{count:,} of {split} ({reason})"
        for split, reasons in dropped["counts"].items()
        for reason, count in reasons.items()
    ]
    if not counts:
        yield "left out: nothing"
        return
    yield f"left out: {', '.join(counts)}; all in {dropped['file']}; the first:"
    yield from (f"  {each}" for each in dropped["first"])
