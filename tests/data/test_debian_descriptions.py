"""Package descriptions, from lists in apt's form."""

from pathlib import Path
from typing import Any

import pytest

from mocha_lightning.data import DebianDescriptions, debian_descriptions
from mocha_lightning.data.debian_descriptions import unwrapped
from mocha_lightning.data.deduplication import split_of
from mocha_lightning.errors import UserError

from .texts import pairs

LIST = "deb.debian.org_debian_dists_bookworm_main_i18n_Translation-en"
RECORD = """Package: {name}
Description-md5: 302b8ff813071cfed09d7b23ac4a0cb3
Description-en: {name} {number} archiver
 The program {name} packs files, and can unpack
 them, too; it has {number} ways.
 .
 Its features:
  * speed
  * size
"""


def packages(split: str, count: int = 2) -> list[str]:
    names = (f"pack{number}" for number in range(200))
    return [name for name in names if split_of(name) == split][:count]


@pytest.fixture
def lists(tmp_path: Path) -> Path:
    # Meant: the corpus is an option where apt exists, and its lists are read by apt's own helper.
    if not debian_descriptions.HELPER.exists():
        pytest.skip("apt is not installed")
    folder = tmp_path / "lists"
    folder.mkdir()
    names = [name for split in ("train", "validation", "test") for name in packages(split)]
    records = [RECORD.format(name=name, number=n) for n, name in enumerate(names)]
    (folder / LIST).write_text("\n".join([*records, "Package: empty\nDescription-en: Nothing\n"]))
    (folder / LIST.replace("Translation-en", "Translation-de")).write_text("not looked at")
    return folder


def corpus(lists: Path | None, cache: Path, **changes: Any) -> DebianDescriptions:
    return DebianDescriptions(
        None if lists is None else str(lists), cache_dir=str(cache), batch_size=1, **changes
    )


def test_a_long_description_is_summarised_by_the_synopsis(lists: Path, tmp_path: Path) -> None:
    texts = pairs(corpus(lists, tmp_path))
    assert {split: list(each) for split, each in texts.items()} == {
        split: packages(split) for split in ("train", "validation", "test")
    }
    name = packages("train")[0]
    assert texts["train"][name] == (
        f"the program {name} packs files , and can unpack them , too ; it has 0 ways .\n"
        "its features :\nspeed\nsize",
        f"{name} 0 archiver",
    )


def test_of_a_package_in_two_lists_the_first_stands(lists: Path, tmp_path: Path) -> None:
    before = corpus(lists, tmp_path)
    texts = pairs(before)
    name = packages("train")[0]
    update = RECORD.format(name=name, number="newer") + "\n" + RECORD.format(name="new", number=99)
    (lists / LIST.replace("bookworm", "bookworm-updates")).write_text(update)
    after = corpus(lists, tmp_path)
    assert after.folder != before.folder
    # By name, the list of updates comes before the release's.
    assert pairs(after)["train"][name][1] == f"{name} newer archiver"
    assert sum(map(len, pairs(after).values())) == sum(map(len, texts.values())) + 1


def test_paragraphs_and_items_are_lines() -> None:
    lines = [" One", " two.", " .", "  * three", "    four", "  - five", " .", " six * seven"]
    assert unwrapped(lines) == "One two.\nthree four\nfive\nsix * seven"


def test_lists_that_are_not_there_are_told(lists: Path, tmp_path: Path) -> None:
    (lists / LIST).unlink()
    with pytest.raises(UserError, match=r"holds no \*_i18n_Translation-en\*: set data\.lists to"):
        corpus(lists, tmp_path).prepare_data()


def test_without_apt_another_corpus_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(debian_descriptions, "APT", "no-apt-here")
    with pytest.raises(UserError, match=r"apt, which is not on this machine: take another corpus"):
        corpus(None, tmp_path).prepare_data()


def test_without_network_that_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failing = tmp_path / "apt-get"
    failing.write_text("#!/bin/sh\necho 'E: no way' >&2\nexit 100\n")
    failing.chmod(0o755)
    monkeypatch.setattr(debian_descriptions, "APT", str(failing))
    with pytest.raises(UserError, match=r"cannot fetch .* \(E: no way\): see that there is a net"):
        corpus(None, tmp_path).prepare_data()
