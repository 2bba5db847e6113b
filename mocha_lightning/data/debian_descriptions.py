"""Debian's package descriptions, where apt is: long texts, and one line written of each."""

import platform
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from mocha_lightning.data.deduplication import deduplicated, split_of
from mocha_lightning.data.document_batches import Cut
from mocha_lightning.data.document_rows import file_facts
from mocha_lightning.data.document_texts import DocumentLimits, Reading, Text
from mocha_lightning.data.documents import Documents
from mocha_lightning.data.tokenizing import TreebankTokenizer
from mocha_lightning.errors import UserError

APT, HELPER = "apt-get", Path("/usr/lib/apt/apt-helper")
FILES = "*_i18n_Translation-en*"
"""The lists that hold descriptions."""
DESCRIPTION = "\nDescription-en: "
RECIPE = 1
"""Raised whenever this file makes other texts of the same lists."""
MIN_WORDS = 10
"""Of a document: what has fewer is a remark."""
TOLD = 200
"""Characters of what apt says."""


class DebianDescriptions(Documents):
    """What a package is: its long description, and the synopsis that its maintainer wrote of it.

    The texts are the English descriptions of the distribution's packages, of the release that the
    machine has: a corpus for Debian and its kin, and another one with each release (of what was
    prepared a result has the SHA-256). No two texts share the synopsis or the document's first 25
    words; the name of a package decides its split.

    Args:
        lists: a folder with apt's lists, those of translations (``..._i18n_Translation-en``) among
            them; null to have apt fetch them into a folder of its own, which leaves the system's
            lists as they are.
        source_words: a document's first words, which are read.
        target_words: a summary's first words, which are learned.
        vocabulary_size: the most frequent words of the training split, which have numbers of their
            own: by default about those that are there three times.
        lead_sentences: a document's first sentences, which are the lead baseline's summary.
        cache_dir: the folder that prepared corpora are kept in.
        batch_size: documents of a training batch.
        eval_batch_size: documents of a validation or test batch.

    Raises:
        UserError: a setting is out of range.
    """

    name = "debian-descriptions"
    kind = "descriptions of Debian's packages with their synopses"
    places: ClassVar[tuple[str, ...]] = (*Documents.places, "lists")

    def __init__(
        self,
        lists: str | None = None,
        source_words: int = 400,
        target_words: int = 100,
        vocabulary_size: int = 20_000,
        lead_sentences: int = 1,
        cache_dir: str = "cache",
        batch_size: int = 64,
        eval_batch_size: int = 64,
    ) -> None:
        super().__init__(
            Reading(TreebankTokenizer(), False, DocumentLimits(None, "stop")),
            Cut(source_words, target_words, lead_sentences),
            vocabulary_size,
            cache_dir,
            batch_size,
            eval_batch_size,
        )
        self.lists = lists

    def identity(self) -> dict[str, Any]:
        """The lists by their content; where they are still to be fetched, the release."""
        if self.lists is None:
            return {"recipe": RECIPE, "release": _release()}
        files = [file_facts(path)["sha256"] for path in _translations(Path(self.lists))]
        return {"recipe": RECIPE, "lists": files}

    def facts(self) -> dict[str, Any]:
        """The release, where that decided what was fetched."""
        return {} if self.lists is not None else {"release": _release()}

    def texts(self) -> Iterator[Text]:
        """The packages that have a long description.

        Raises:
            UserError: apt is not there, or cannot fetch or read the lists.
        """
        if self.lists is not None:
            return deduplicated(_packages(Path(self.lists)), MIN_WORDS)
        with _fetched() as lists:
            return deduplicated([*_packages(lists)], MIN_WORDS)


def _packages(lists: Path) -> Iterator[Text]:
    seen = set()
    for path in _translations(lists):
        for record in _content(path).split("\n\n"):
            name = record.partition("\n")[0].removeprefix("Package: ")
            synopsis, *lines = record.partition(DESCRIPTION)[2].split("\n")
            document = unwrapped(lines)
            # Of a package in several lists the first stands: updates come before the release.
            if synopsis and document and name not in seen:
                seen.add(name)
                place = f"{path.name}, {name}"
                yield Text(name, split_of(name), document, synopsis, place)


def unwrapped(lines: list[str]) -> str:
    """A long description with one line for each paragraph and each item of a list.

    In the file, a line begins with one space; a lone full stop parts paragraphs, and more space
    begins the line of a list.
    """
    paragraphs = [""]
    for line in lines:
        text = line.strip()
        if text == ".":
            paragraphs.append("")
        elif line.startswith("  ") and text[:2] in ("* ", "- ", "+ ", "o "):
            paragraphs.append(text[2:])
        else:
            paragraphs[-1] += f" {text}"
    return "\n".join(text for each in paragraphs if (text := each.strip()))


def _translations(lists: Path) -> list[Path]:
    found = sorted(lists.glob(FILES))
    if not found:
        raise UserError(
            f"{lists.resolve()}: holds no {FILES}: set data.lists to null to have apt fetch them"
        )
    return found


def _content(path: Path) -> str:
    """The text of a list, whatever it is compressed by."""
    if not HELPER.exists():
        raise _no_apt()
    done = subprocess.run([HELPER, "cat-file", path], capture_output=True, check=False)
    if done.returncode != 0:
        raise UserError(f"{path}: cannot be read ({_said(done.stderr)}): fetch it again")
    return done.stdout.decode(errors="replace")


@contextmanager
def _fetched() -> Iterator[Path]:
    """A folder with the lists that apt has fetched, the system's own left alone."""
    if shutil.which(APT) is None:
        raise _no_apt()
    with tempfile.TemporaryDirectory() as folder:
        lists, cache = Path(folder) / "lists", Path(folder) / "cache"
        (lists / "partial").mkdir(parents=True)
        (cache / "archives" / "partial").mkdir(parents=True)
        settings = {
            "Dir::State::lists": lists,
            "Dir::Cache": cache,
            "Acquire::Languages": "en",
            "APT::Sandbox::User": "root",
            "Debug::NoLocking": "true",
            "APT::Update::Post-Invoke-Success::": "",
        }
        options = [part for name, value in settings.items() for part in ("-o", f"{name}={value}")]
        done = subprocess.run([APT, *options, "update"], capture_output=True, check=False)
        if done.returncode != 0 or not list(lists.glob(FILES)):
            raise UserError(
                f"apt cannot fetch the descriptions of packages ({_said(done.stderr)}): see that "
                "there is a network, or name a folder with its lists as data.lists"
            )
        yield lists


def _no_apt() -> UserError:
    return UserError(
        "the descriptions of Debian's packages are read by apt, which is not on this machine: take "
        "another corpus, such as mocha_lightning.data.BotocoreDocumentation"
    )


def _release() -> str:
    try:
        facts = platform.freedesktop_os_release()
    except OSError:
        raise _no_apt() from None
    return f"{facts['ID']} {facts.get('VERSION_CODENAME', facts.get('VERSION_ID', ''))}"


def _said(output: bytes) -> str:
    text = " ".join(output.decode(errors="replace").split())
    return text[:TOLD] or "it says nothing"
