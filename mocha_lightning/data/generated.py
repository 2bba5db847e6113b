"""What corpora share whose audio is made utterance after utterance, each after all before it."""

from abc import abstractmethod
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

from mocha_lightning.data.cache import Spoken, Utterance
from mocha_lightning.data.extraction import Extraction, extract
from mocha_lightning.data.features import LogMel
from mocha_lightning.data.speech import SpeechData
from mocha_lightning.data.writing import CacheWriter, completed
from mocha_lightning.errors import UserError

THREADS = 2
"""That extract features, while the next audio is made."""


class GeneratedSpeech(SpeechData):
    """Speech whose every utterance may depend on what was drawn by chance for those before.

    So it is made in one go, and a preparation that was stopped begins anew.
    """

    @abstractmethod
    def corpus(self) -> Iterator[Spoken]:
        """All utterances of all splits with their audio, in a fixed order."""

    def build(self, folder: Path) -> None:
        """Fill an empty folder with the prepared corpus.

        Raises:
            UserError: an utterance is shorter than one frame, or there is none for training.
        """
        with CacheWriter(folder, self.features) as writer:
            for utterance, extraction in _extracted(self.corpus(), self.features):
                writer.use(utterance, extraction)
            writer.finish(self.full_identity())
        completed(folder)


def _extracted(
    corpus: Iterator[Spoken], features: LogMel
) -> Iterator[tuple[Utterance, Extraction]]:
    """Each utterance with its features, in order, extracted while the next is made."""

    def one(spoken: Spoken) -> tuple[Utterance, Extraction]:
        utterance, samples = spoken
        try:
            return utterance, extract(features, samples)
        except UserError as error:
            raise UserError(f"utterance {utterance.id}: {error}") from None

    # Threads are enough: kaldi-native-fbank computes without holding the interpreter's lock.
    with ThreadPoolExecutor(THREADS) as threads:
        pending = deque(threads.submit(one, spoken) for spoken in islice(corpus, 2 * THREADS))
        for spoken in corpus:
            yield pending.popleft().result()
            pending.append(threads.submit(one, spoken))
        for future in pending:
            yield future.result()
