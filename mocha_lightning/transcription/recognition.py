"""A trained recogniser with its front end, from a run's folder alone."""

from dataclasses import dataclass
from pathlib import Path

from mocha_lightning.data import SpeechSpec
from mocha_lightning.data.frontend import Frontend
from mocha_lightning.errors import UserError
from mocha_lightning.experiment.trained import TrainedRun
from mocha_lightning.recognizer.base import Recognizer
from mocha_lightning.recognizer.latency import lookahead_milliseconds
from mocha_lightning.recognizer.streaming import Streamer

OTHER = "no recogniser of speech, which alone transcribes"
LACKING = (
    "neither vocabulary nor features of its corpus ({}): it is of an earlier version or of no "
    "corpus of speech"
)


@dataclass(frozen=True)
class Recognition:
    """All that recognition takes.

    Attributes:
        mechanism: what the recogniser attends with, by name.
        recognizer: in evaluation.
        frontend: of the corpus that it was trained on.
    """

    mechanism: str
    recognizer: Recognizer
    frontend: Frontend

    @property
    def lookahead(self) -> int:
        """Audio that a memory entry depends on after its own, in milliseconds."""
        return lookahead_milliseconds(self.recognizer.encoder, self.frontend.features)

    def streamer(self) -> Streamer:
        """Begin to listen to an utterance.

        Raises:
            UserError: the attention needs the whole memory.
        """
        return Streamer(self.recognizer, self.frontend.features, self.frontend.normalization)


def load_recognition(run: Path) -> Recognition:
    """Build what a run has trained, without its corpus and without executing what is in files.

    Args:
        run: a run's folder (its best step is taken) or a checkpoint in it. A copy will do that has
            ``config.yaml`` and ``checkpoints/best.ckpt`` alone.

    Raises:
        UserError: that is no run, some file is damaged or does not belong to the others, or it is
            no recogniser of speech.
    """
    trained = TrainedRun.open(run)
    state = trained.corpus_state("features", LACKING, Recognizer, OTHER)
    try:
        frontend = Frontend.of_state_dict(state)
    except UserError as error:
        raise UserError(f"{trained.path}: {error}") from error
    features, vocabulary = frontend.features, frontend.vocabulary
    corpus = SpeechSpec(vocabulary, features.channels, features.mel_bins, features.lookahead)
    # Abstract, as what any recogniser is.
    recognizer = trained.build(corpus, Recognizer, OTHER, f"{len(vocabulary)} symbols {vocabulary}")  # type: ignore[type-abstract]
    return Recognition(trained.mechanism, recognizer, frontend)
