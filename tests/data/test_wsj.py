"""The Wall Street Journal corpus, on disks as the LDC's are, of a few utterances."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from mocha_lightning.data import Wsj
from mocha_lightning.errors import UserError

from .recordings import SMALL, opened, texts
from .spheres import write_sphere

UTTERANCES = {
    "11-1.1/wsj0/si_tr_s/01i/01ic0201": r"Isn\'t it ,COMMA [loud_breath]",
    "11-1.1/wsj0/si_tr_s/01i/01ic0202": "<the> end .PERIOD",
    "11-2.1/wsj0/si_tr_s/401/401c0201": "left out",
    "13-1.1/wsj1/si_tr_s/46c/46cc0301": "ten %PERCENT",
    "13-16.1/wsj1/si_dt_20/4k0/4k0c0301": "--DASH [<door_slam]",
    "13-16.1/wsj1/si_dt_20/4k0/4k0c0302": r"I\. B\. M\.",
    "11-14.1/wsj0/si_et_20/440/440c0401": "one",
}
INDICES = {
    "13-34.1/wsj1/doc/indices/si_tr_s.ndx": """;; File: si_tr_s.ndx
13_1_1: wsj1/si_tr_s/46c/46cc0301.wv1
""",
    "11-13.1/wsj0/doc/indices/train/tr_s_wv1.ndx": """;; File: tr_s_wv1.ndx, updated 04/26/94
;;
11_1_1:wsj0/si_tr_s/01i/01ic0201.wv1
11_1_1:wsj0/si_tr_s/01i/01ic0202.wv1
11_2_1:wsj0/si_tr_s/401/401c0201.wv1
""",
    "13-34.1/wsj1/doc/indices/h1_p0.ndx": """;
13_16_1:wsj1/si_dt_20/4k0/4k0c0302.wv1
13_16_1:wsj1/si_dt_20/4k0/4k0c0301.wv1
""",
    # An index of another test set, of the same name.
    "13-32.1/wsj1/doc/indices/wsj1/eval/h1_p0.ndx": "13_32_1:wsj1/si_et_h1/4oa/4oac0201.wv1\n",
    "11-13.1/wsj0/doc/indices/test/nvp/si_et_20.ndx": "11_14_1:wsj0/si_et_20/440/440c0401\n",
}
TEXTS = {
    "train": {
        "01ic0201": ("isn't it comma <noise>", "01i"),
        "01ic0202": ("the end .period", "01i"),
        "46cc0301": ("ten percent", "46c"),
    },
    "validation": {"4k0c0301": ("-dash", "4k0"), "4k0c0302": ("i. b. m.", "4k0")},
    "test": {"440c0401": ("one", "440")},
}


@pytest.fixture
def disks(tmp_path: Path) -> Path:
    folder = tmp_path / "wsj"
    for name, text in INDICES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    for seed, (name, text) in enumerate(UTTERANCES.items()):
        path = folder / f"{name}.wv1"
        path.parent.mkdir(parents=True, exist_ok=True)
        samples = np.random.default_rng(seed).integers(-999, 999, 3200).astype(np.int16)
        write_sphere(path, samples, order=("01", "10")[seed % 2])
        path.with_suffix(".wv2").write_bytes(b"the other microphone")
        with (path.parent / f"{path.stem[:6]}00.dot").open("a") as dots:
            dots.write(f"{text} ({path.stem})\n")
    return folder


def corpus(folder: Path, **changes: Any) -> Wsj:
    cache_dir = str(folder.parent / "cache")
    return Wsj(str(folder), **{**SMALL, "cache_dir": cache_dir, **changes})


def renamed(folder: Path, rename: Callable[[str], str]) -> None:
    """Give every file and folder below another name."""
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rename(path.with_name(rename(path.name)))


def merged(folder: Path) -> None:
    """Copy disks over each other."""
    for disk in sorted(folder.iterdir()):
        shutil.copytree(disk, folder, dirs_exist_ok=True)
        shutil.rmtree(disk)


def grouped(folder: Path) -> None:
    """Put disks into a folder for each of the two corpora, named like the folders in them."""
    for disk in sorted(folder.iterdir()):
        (folder / f"WSJ{disk.name[1] != '1':d}").mkdir(exist_ok=True)
        disk.rename(folder / f"WSJ{disk.name[1] != '1':d}" / disk.name)


LAYOUTS: dict[str, Callable[[Path], None]] = {
    "as distributed": lambda _: None,
    "with underscores": lambda folder: renamed(
        folder, lambda name: name.replace("-", "_").replace(".1", "_1") if "-" in name else name
    ),
    "upper case": lambda folder: renamed(folder, str.upper),
    "one upper-case disk": lambda folder: renamed(folder / "13-16.1", str.upper),
    "copied over each other": merged,
    "below folders of the same name": grouped,
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_corpus_is_found_however_the_disks_were_copied(disks: Path, layout: str) -> None:
    LAYOUTS[layout](disks)
    assert texts(corpus(disks)) == TEXTS


def test_folders_may_be_linked_even_in_a_ring(disks: Path, tmp_path: Path) -> None:
    links = tmp_path / "links"
    links.mkdir()
    for disk in disks.iterdir():
        (links / disk.name).symlink_to(disk)
    (links / "11-1.1" / "wsj0" / "back").symlink_to(links)
    assert texts(corpus(links)) == TEXTS


def test_a_copied_corpus_is_the_same(disks: Path, tmp_path: Path) -> None:
    shutil.copytree(disks, tmp_path / "copy")
    assert corpus(tmp_path / "copy").folder == corpus(disks).folder


def test_noise_is_one_output(disks: Path) -> None:
    data = opened(corpus(disks))
    (tokens,) = [
        example.tokens for example in data.splits["train"] if example.utterance.id == "01ic0201"
    ]
    assert len(tokens) == len("isn't it comma ") + 2
    assert data.spec.vocabulary.decode(tokens.tolist()) == "isn't it comma <noise>"


def test_counts_that_differ_from_others_are_told(
    disks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    opened(corpus(disks))
    told = capsys.readouterr().err
    assert "WSJ: 2 utterances are listed for validation, not the 503 that others have" in told
    assert "WSJ: 1 utterances are listed for test, not the 333" in told


@pytest.fixture
def incomplete(disks: Path) -> Iterator[Path]:
    """A disk, a file and a transcript are missing."""
    shutil.rmtree(disks / "13-1.1")
    (disks / "11-1.1/wsj0/si_tr_s/01i/01ic0202.wv1").unlink()
    (disks / "13-16.1/wsj1/si_dt_20/4k0/4k0c0300.dot").write_text("one (4k0c0301)\n")
    return disks


def test_all_that_is_missing_is_told_at_once(incomplete: Path) -> None:
    with pytest.raises(UserError, match="is not all of the corpus") as error:
        corpus(incomplete).prepare_data()
    message = str(error.value)
    assert "disk 13-1.1 (1 utterance)" in message
    assert "the audio of 1 utterance (01ic0202)" in message
    assert "the transcript of 2 utterances (46cc0301, 4k0c0302)" in message
    assert message.endswith("add what is missing, or set data.allow_missing to true to do without")


def test_what_is_missing_is_done_without_where_that_is_allowed(incomplete: Path) -> None:
    data = corpus(incomplete, allow_missing=True, batch_size=1)
    found = texts(data)
    assert list(found["train"]) == ["01ic0201"]
    assert found["validation"] == {"4k0c0301": ("one", "4k0")}
    assert data.describe()["dropped"] == {
        "train": {"no audio file": 1, "no transcript": 1},
        "validation": {"no transcript": 1},
        "test": {},
    }
    assert corpus(incomplete, allow_missing=True).folder == data.folder


def test_missing_indices_are_told(disks: Path) -> None:
    shutil.rmtree(disks / "13-34.1")
    with pytest.raises(UserError, match=r"missing: the index .*si_tr_s\.ndx of disk 13-34\.1; the"):
        corpus(disks).prepare_data()
    with pytest.raises(UserError, match="no recording that can be used falls to validation"):
        corpus(disks, allow_missing=True).prepare_data()


def test_a_folder_of_something_else_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"nowhere: no such folder: correct data\.folder"):
        corpus(tmp_path / "nowhere").prepare_data()
    with pytest.raises(UserError, match="holds no folder wsj0 or wsj1"):
        corpus(tmp_path).prepare_data()


@pytest.mark.parametrize(
    ("name", "line", "message"),
    [
        ("13-34.1/wsj1/doc/indices/h1_p0.ndx", "4k0c0301", "is not disk:path"),
        ("13-16.1/wsj1/si_dt_20/4k0/4k0c0300.dot", "no name", "does not end in an utterance's"),
    ],
)
def test_a_damaged_line_is_named(disks: Path, name: str, line: str, message: str) -> None:
    with (disks / name).open("a") as file:
        file.write(f"{line}\n")
    number = len((disks / name).read_text().splitlines())
    with pytest.raises(UserError, match=rf"{Path(name).name}, line {number}: .*{message}"):
        corpus(disks).prepare_data()


def test_a_damaged_waveform_is_named(disks: Path) -> None:
    path = disks / "11-14.1/wsj0/si_et_20/440/440c0401.wv1"
    data = bytearray(path.read_bytes())
    data[-2] ^= 1
    path.write_bytes(data)
    with pytest.raises(UserError, match=r"440c0401 \(.*line 1\): audio cannot be read: .*checksum"):
        corpus(disks).prepare_data()


def test_waveforms_converted_in_place_are_read(disks: Path) -> None:
    path = disks / "11-14.1/wsj0/si_et_20/440/440c0401.wv1"
    soundfile.write(path, np.random.default_rng(0).uniform(-0.1, 0.1, 3200), 16000, format="WAV")
    assert texts(corpus(disks)) == TEXTS


def test_real_shortened_waveforms_are_read(disks: Path, real_file: Callable[[str], Path]) -> None:
    for name, place in (
        ("123_1pcbe_shn.sph", "11-14.1/wsj0/si_et_20/440/440c0401.wv1"),
        ("123_1pcle_shn.sph", "13-16.1/wsj1/si_dt_20/4k0/4k0c0301.wv1"),
    ):
        shutil.copy(real_file(f"sphere/{name}"), disks / place)
    data = opened(corpus(disks))
    (test,) = data.splits["test"].utterances
    (same,) = [item for item in data.splits["validation"].utterances if item.id == "4k0c0301"]
    assert test.seconds == same.seconds == pytest.approx(1.856)
    assert test.frames == same.frames
