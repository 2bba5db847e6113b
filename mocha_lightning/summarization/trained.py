"""A trained summariser with what cuts documents into words, from a run's folder alone."""

from dataclasses import dataclass
from pathlib import Path

from mocha_lightning.data import DocumentSpec
from mocha_lightning.data.document_batches import Cut, DocumentBatch, collate, numbered
from mocha_lightning.data.document_frontend import DocumentFrontend
from mocha_lightning.data.document_texts import TokenizedText
from mocha_lightning.data.tokenizing import Tokenizer
from mocha_lightning.errors import UserError
from mocha_lightning.experiment.trained import TrainedRun
from mocha_lightning.summarizer import Summarizer

OTHER = "no summariser of documents, which alone summarises"
LACKING = (
    "no vocabulary of its corpus ({}): it is of an earlier version or of no corpus of documents"
)


@dataclass(frozen=True)
class Summarization:
    """All that summarising takes.

    Attributes:
        mechanism: what the summariser attends with, by name.
        summarizer: in evaluation.
        frontend: of the corpus that it was trained on.
        tokenizer: that of the corpus.
    """

    mechanism: str
    summarizer: Summarizer
    frontend: DocumentFrontend
    tokenizer: Tokenizer

    def batch(self, name: str, words: list[str]) -> DocumentBatch:
        """A document in words as a batch of its own, cut as the corpus's are."""
        text = TokenizedText(name, "test", " ".join(words), "", {})
        cut = Cut(self.frontend.source_words, target_words=1, lead_sentences=1)
        return collate([numbered(text, self.frontend.vocabulary, cut)])


def load_summarization(run: Path) -> Summarization:
    """Build what a run has trained, without its corpus and without executing what is in files.

    Args:
        run: a run's folder (its best step is taken) or a checkpoint in it. A copy will do that has
            ``config.yaml`` and ``checkpoints/best.ckpt`` alone.

    Raises:
        UserError: that is no run, some file is damaged or does not belong to the others, or it is
            no summariser.
    """
    trained = TrainedRun.open(run)
    state = trained.corpus_state("words", LACKING, Summarizer, OTHER)
    try:
        frontend = DocumentFrontend.of_state_dict(state)
        tokenizer = frontend.build_tokenizer()
    except UserError as error:
        raise UserError(f"{trained.path}: {error}") from error
    vocabulary = frontend.vocabulary
    summarizer = trained.build(
        DocumentSpec(vocabulary), Summarizer, OTHER, f"{len(vocabulary.words):,} words"
    )
    return Summarization(trained.mechanism, summarizer, frontend, tokenizer)
