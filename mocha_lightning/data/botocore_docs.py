"""API documentation that pip brings: what an operation does, in its documentation's first words."""

import gzip
import hashlib
import json
import zlib
from collections.abc import Iterator
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

from mocha_lightning.data.deduplication import deduplicated, split_of
from mocha_lightning.data.document_batches import Cut
from mocha_lightning.data.document_texts import DocumentLimits, Reading, Text
from mocha_lightning.data.documents import Documents
from mocha_lightning.data.tokenizing import TreebankTokenizer
from mocha_lightning.errors import UserError

SERVICES = "*/*/service-2.json*"
RECIPE = 1
"""Raised whenever this file makes other texts of the same package."""
MIN_WORDS = 10
"""Of a document: what has fewer is a remark."""
BLOCKS = frozenset(
    (
        *("p", "div", "br", "pre", "note", "important", "h1", "h2", "h3", "h4", "h5", "h6"),
        *("ul", "ol", "li", "dl", "dt", "dd", "table", "tr", "td", "th"),
    )
)
"""Elements that begin and end a line."""
ASIDES = frozenset({"note", "important"})
"""Elements in which a documentation may begin, and that do not say what the operation does."""


class BotocoreDocumentation(Documents):
    """Operations of Amazon's web services: the first sentence of each documentation is its summary.

    The texts are in the package ``botocore`` (Apache-2.0; the extra ``docs`` pins its version), so
    that pip alone brings a corpus of real, if dry, English. The document is the rest of the
    documentation, and the summary what was removed from it, not something that was written about
    it: 1 in 2 of its words is not in the document. Of each service the last version of its API
    counts. Splits differ in service, and no two texts share the summary or the document's first 25
    words.

    Args:
        package: the folder of the package; null for the one that is installed.
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

    name = "botocore-documentation"
    kind = "API documentation (botocore), rest to first sentence"
    places: ClassVar[tuple[str, ...]] = (*Documents.places, "package")

    def __init__(
        self,
        package: str | None = None,
        source_words: int = 400,
        target_words: int = 100,
        vocabulary_size: int = 6_000,
        lead_sentences: int = 1,
        cache_dir: str = "cache",
        batch_size: int = 64,
        eval_batch_size: int = 64,
    ) -> None:
        self.tokenizer = TreebankTokenizer()
        super().__init__(
            Reading(self.tokenizer, False, DocumentLimits(None, "stop")),
            Cut(source_words, target_words, lead_sentences),
            vocabulary_size,
            cache_dir,
            batch_size,
            eval_batch_size,
        )
        self.package = package

    @property
    def packages(self) -> tuple[str, ...]:
        """The one that has the documentation, too, unless a folder was named."""
        return super().packages if self.package is not None else (*super().packages, "botocore")

    def identity(self) -> dict[str, Any]:
        """A hash over the descriptions of the services."""
        digest = hashlib.sha256()
        for path in self._services():
            digest.update(f"{path.parts[-3:]}".encode() + hashlib.sha256(_read(path)).digest())
        return {"recipe": RECIPE, "services_sha256": digest.hexdigest()}

    def texts(self) -> Iterator[Text]:
        """The operations whose documentation has a first sentence and a rest.

        Raises:
            UserError: the package is not there or a file in it cannot be read.
        """
        return deduplicated(self._all(), MIN_WORDS)

    def _all(self) -> Iterator[Text]:
        for path in self._services():
            service = path.parts[-3]
            try:
                operations = json.loads(_read(path))["operations"]
                documented = {name: each.get("documentation") for name, each in operations.items()}
            except (ValueError, LookupError, TypeError, AttributeError) as error:
                raise UserError(
                    f"{path}: does not describe a service ({error!r}): install botocore again"
                ) from error
            for name, html in sorted(documented.items()):
                summary, document = self._parts(html or "")
                if summary:
                    place = f"{path}, {name}"
                    yield Text(f"{service}.{name}", split_of(service), document, summary, place)

    def _parts(self, html: str) -> tuple[str, str]:
        """The first sentence outside of any aside, and the rest in its order."""
        paragraphs = paragraphs_of(html)
        for number, (line, aside) in enumerate(paragraphs):
            if not aside:
                summary, *rest = self.tokenizer.split(line)
                lines = [each for each, _ in paragraphs]
                return summary, "\n".join([*lines[:number], *rest, *lines[number + 1 :]])
        return "", ""

    def _services(self) -> list[Path]:
        """The last version of each service's description."""
        root = self._root()
        latest = {path.parts[-3]: path for path in sorted(root.glob(SERVICES))}
        if not latest:
            raise UserError(
                f"{root.resolve()}: holds no {SERVICES}: name the folder of the package botocore "
                "as data.package"
            )
        return [latest[service] for service in sorted(latest)]

    def _root(self) -> Path:
        if self.package is not None:
            return Path(self.package) / "data"
        found = find_spec("botocore")
        if found is None or not found.submodule_search_locations:
            raise UserError(
                "the documentation of Amazon's services is read from the package botocore, which "
                'is not installed: run pip install "mocha-lightning[docs]"'
            )
        return Path(found.submodule_search_locations[0]) / "data"


def paragraphs_of(html: str) -> list[tuple[str, bool]]:
    """The lines of a documentation without its marks, each with whether it is an aside."""
    parser = _Paragraphs()
    parser.feed(html)
    parser.close()
    parser.end_line()
    return parser.lines


class _Paragraphs(HTMLParser):
    """Gathers text; the marks of blocks end lines, others leave no trace."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[tuple[str, bool]] = []
        self._text = ""
        self._asides = 0

    def end_line(self) -> None:
        """What comes next is another line."""
        line = " ".join(self._text.split())
        if line:
            self.lines.append((line, self._asides > 0))
        self._text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in BLOCKS:
            self.end_line()
        self._asides += tag in ASIDES

    def handle_endtag(self, tag: str) -> None:
        if tag in BLOCKS:
            self.end_line()
        self._asides = max(0, self._asides - (tag in ASIDES))

    def handle_data(self, data: str) -> None:
        self._text += data


def _read(path: Path) -> bytes:
    try:
        return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    except (OSError, EOFError, zlib.error) as error:
        raise UserError(f"{path}: cannot be read ({error}): install botocore again") from error
