"""Documents made by rule, whose alignment is known: how much reordering can a mechanism express?"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any

import numpy as np

from mocha_lightning.data.document_batches import Cut, DocumentSpec
from mocha_lightning.data.document_store import DocumentStore
from mocha_lightning.data.document_texts import DocumentLimits, Reading, Text
from mocha_lightning.data.documents import Documents
from mocha_lightning.data.strings import SPLITS
from mocha_lightning.data.tokenizing import SpaceTokenizer
from mocha_lightning.data.word_vocabulary import WordVocabulary
from mocha_lightning.errors import UserError

RECIPE = 1
"""Raised whenever this file makes other documents of the same settings."""
NORMAL, REVERSED = ORDERS = "normal", "reversed"
KEEP, SWAP = MARKS = "keep", "swap"
STOP = "."
KEYS = tuple(f"k{number}" for number in range(20))
FILLERS = tuple(f"f{number}" for number in range(20))


@dataclass(frozen=True)
class FactRule:
    """The settings of the rule; see :class:`KeyFacts`.

    Raises:
        UserError: a number is out of range.
    """

    facts: int
    marked: int
    swap_window: int
    reversed_share: float
    unknown_share: float
    entities: int
    corpus_seed: int

    def __post_init__(self) -> None:
        bounds: dict[str, tuple[float, float]] = {
            "facts": (1, len(KEYS)),
            "marked": (1, self.facts),
            "swap_window": (1, 1_000),
            "reversed_share": (0, 1),
            "unknown_share": (0, 1),
            "entities": (2 * self.facts, 1_000_000),
            "corpus_seed": (0, float("inf")),
        }
        for name, (least, most) in bounds.items():
            value = getattr(self, name)
            if not least <= value <= most:
                limit = f"from {least} to {most}" if most < float("inf") else f"at least {least}"
                raise UserError(f"data.{name} is {value}: it must be {limit}")

    @property
    def words(self) -> tuple[str, ...]:
        """All known words."""
        entities = tuple(f"e{number}" for number in range(self.entities))
        return (*ORDERS, *MARKS, STOP, *KEYS, *FILLERS, *entities)

    @property
    def longest(self) -> int:
        """Words of the longest document that there can be."""
        stretch = max(1, self.swap_window - 1)
        return 1 + 4 * self.facts + self.marked * stretch

    def swap(self, row: int) -> int:
        """The d of the document of some number (from 0) in its split."""
        octaves = 1 + (self.swap_window - 1).bit_length()
        octave, turn = row % octaves, row // octaves
        first = 1 << octave >> 1
        return first + turn % (min(self.swap_window, max(1, 2 * first)) - first)

    @property
    def summary_words(self) -> int:
        """Words of every summary."""
        return 4 * self.marked

    def document(
        self, generator: np.random.Generator, swap: int
    ) -> tuple[str, str, dict[str, Any]]:
        """Draw a document; its summary; its order, distances and alignment.

        Args:
            generator: of chance.
            swap: d, how far the second entity of each marked fact is from the first, where they
                change places; 0 where they stay.
        """
        order = ORDERS[int(generator.random() < self.reversed_share)]
        marked = set(generator.permutation(self.facts)[: self.marked].tolist())
        keys = [KEYS[number] for number in generator.permutation(len(KEYS))]
        entities = self._entities(generator)
        words, sources = [order], []
        for fact in range(self.facts):
            first, second = entities[2 * fact : 2 * fact + 2]
            stretch = 1
            if fact in marked:
                words.append(SWAP if swap else KEEP)
                stretch = max(1, swap)
            fillers = [FILLERS[n] for n in generator.integers(len(FILLERS), size=stretch - 1)]
            key, one = len(words), len(words) + 1
            two = one + stretch
            words += [keys[fact], first, *fillers, second, STOP]
            if fact in marked:
                sources.append([key, two, one, two + 1] if swap else [key, one, two, two + 1])
        if order == REVERSED:
            sources.reverse()
        alignment = [source for fact in sources for source in fact]
        details = {
            "order": order,
            "swap": swap,
            "distance": reordering_distance(alignment),
            "alignment": alignment,
        }
        return " ".join(words), " ".join(words[source] for source in alignment), details

    def _entities(self, generator: np.random.Generator) -> list[str]:
        """Two different ones for each fact, some of them words that no other document has."""
        numbers = generator.permutation(self.entities)[: 2 * self.facts]
        unknown = generator.random(2 * self.facts) < self.unknown_share
        return [
            f"x{place}" if unknown[place] else f"e{number}" for place, number in enumerate(numbers)
        ]


def reordering_distance(alignment: Sequence[int]) -> int:
    """How many words a document must be gone back in to be read in the order of its summary.

    Args:
        alignment: the document's position that each word of the summary is from.

    Returns:
        The most that a position lies before the furthest of those before it; 0 for a monotonic
        alignment. Where a mechanism's window ends at a stop that never moves back, it must hold
        one entry more.
    """
    furthest, distance = 0, 0
    for position in alignment:
        furthest = max(furthest, position)
        distance = max(distance, furthest - position)
    return distance


class KeyFacts(Documents):
    """A probe of reordering: facts of which some are marked, and must be told, in another order.

    A document is a word for the order, then ``facts`` facts, of which ``marked`` are marked::

        document:  ORDER fact fact ...                ORDER:   normal | reversed
        fact:      key A B .                          key:     k0 ... k19, another in each fact
        marked:    keep key A B .                     A, B:    e0 ... e299, each once in a document
                   swap key A filler ... B .          filler:  f0 ... f19
        summary:   key A B .   of each fact that is marked ``keep``
                   key B A .   of each fact that is marked ``swap``

    The summary tells the marked facts in the order of the document, or, where it begins with
    ``reversed``, the last of them first. All marked facts of a document have the same mark, and in
    those that swap B is the d-th word after A; where they keep, d = 0. The values of d below
    ``swap_window`` are parted into octaves, 0, 1, 2 to 3, 4 to 7, 8 to 15, ..., so that each
    doubling of a window solves as many documents more: of K octaves (6 by default), the n-th
    document of a split, n from 0, has the octave n modulo K, and of its distances, each in turn,
    the one of number floor(n / K) modulo how many they are. Which facts are marked, keys, entities
    and fillers are uniform; a document is reversed with the probability ``reversed_share``.

    Every word of a summary is in the document, at a known place (``alignment``). The greatest step
    back that the summary takes is the document's ``distance`` (:func:`reordering_distance`): in
    normal order it is d, in reversed order far more. So, of documents in
    normal order, an attention whose stops never move back and that sees the w entries up to its
    stop (monotonic: w = 1; MoChA) can copy all words if and only if w >= d + 1: it stops at the
    key, then at B and must see A from there. Soft attention can always. MAtChA, which sees what
    lies between two stops, can for d = 0 alone. What a bidirectional encoder knows of A at B's
    entry may let a generator name it none the less; ``unknown_share`` = 1 rules that out, since
    all unknown words look alike to an encoder and can only be copied.

    ``details`` of each example are ``order`` (normal, reversed), ``swap`` (d), ``distance`` and
    ``alignment`` (the document's word, from 0, that each of the summary's is).

    Args:
        facts: facts in a document (at most 20).
        marked: those of them that the summary tells.
        swap_window: the words that hold a swap, A and B included: d is less than that.
        reversed_share: documents whose facts are told in reversed order.
        unknown_share: entities that are replaced by words that the vocabulary lacks.
        entities: different entities.
        train_documents: size of the training split.
        validation_documents: size of the validation split.
        test_documents: size of the test split.
        corpus_seed: decides everything that is drawn by chance for this corpus.
        cache_dir: the folder that prepared corpora are kept in.
        batch_size: documents of a training batch.
        eval_batch_size: documents of a validation or test batch.

    Raises:
        UserError: a setting is out of range.
    """

    name = "key-facts"
    kind = "made by rule (key facts, a probe of reordering)"

    def __init__(
        self,
        facts: int = 6,
        marked: int = 3,
        swap_window: int = 18,
        reversed_share: float = 0.3,
        unknown_share: float = 0.0,
        entities: int = 300,
        train_documents: int = 20_000,
        validation_documents: int = 200,
        test_documents: int = 400,
        corpus_seed: int = 0,
        cache_dir: str = "cache",
        batch_size: int = 32,
        eval_batch_size: int = 64,
    ) -> None:
        self.rule = FactRule(
            facts, marked, swap_window, reversed_share, unknown_share, entities, corpus_seed
        )
        counts = (train_documents, validation_documents, test_documents)
        self.counts = dict(zip(SPLITS, counts, strict=True))
        for split, count in self.counts.items():
            if count < 1:
                raise UserError(f"data.{split}_documents is {count}: it must be at least 1")
        super().__init__(
            Reading(SpaceTokenizer(), False, DocumentLimits(None, "stop")),
            Cut(self.rule.longest, self.rule.summary_words, lead_sentences=1),
            len(self.rule.words),
            cache_dir,
            batch_size,
            eval_batch_size,
        )
        # To cut these at spaces takes less time than to start processes for it.
        self.jobs = 1

    @property
    def spec(self) -> DocumentSpec:
        """What a summariser must know of this corpus; the rule says it, whether prepared or not."""
        return DocumentSpec(WordVocabulary(self.rule.words))

    @property
    def presumption(self) -> str:
        """Nothing: the rule is known."""
        return ""

    @property
    def full_spec(self) -> DocumentSpec:
        """The same."""
        return self.spec

    def known_words(self, store: DocumentStore) -> tuple[str, ...]:
        """The rule's words, whether or not they were drawn."""
        return self.rule.words

    @property
    def packages(self) -> tuple[str, ...]:
        """What draws, too."""
        return (*super().packages, "numpy")

    def identity(self) -> dict[str, Any]:
        """The settings of the rule, and the version of what draws."""
        return {"recipe": RECIPE, "numpy": version("numpy"), **self.facts()}

    def facts(self) -> dict[str, Any]:
        """The settings of the rule."""
        return {**asdict(self.rule), "counts": self.counts}

    def texts(self) -> Iterator[Text]:
        """Draw the documents, those of each split with a stream of chance of its own."""
        for number, (split, count) in enumerate(self.counts.items()):
            generator = np.random.default_rng([self.rule.corpus_seed, number])
            for row in range(count):
                swap = self.rule.swap(row)
                document, summary, details = self.rule.document(generator, swap)
                yield Text(f"{split}-{row:05d}", split, document, summary, details=details)
