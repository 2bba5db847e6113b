"""What each word of a summary attends to in its document, as a file of arrays."""

from dataclasses import dataclass
from io import BytesIO

import numpy as np
from jaxtyping import Float
from numpy import ndarray

from mocha_lightning.pictures.arrays import numbers, words


@dataclass(frozen=True)
class WordAlignments:
    """Attention over the words of a document at every output, the true outputs given as inputs.

    Attributes:
        example: its name in the corpus.
        source: the document's words.
        outputs: the summary's, the end mark included.
        expected: weights in expectation, as in training.
        hard: weights at test time.
    """

    example: str
    source: tuple[str, ...]
    outputs: tuple[str, ...]
    expected: Float[ndarray, "outputs words"]
    hard: Float[ndarray, "outputs words"]

    def to_bytes(self) -> bytes:
        """The content of an ``.npz`` file."""
        content = BytesIO()
        np.savez_compressed(
            content,
            example=np.array(self.example),
            source=np.array(self.source),
            outputs=np.array(self.outputs),
            expected=self.expected,
            hard=self.hard,
        )
        return content.getvalue()

    @classmethod
    def from_bytes(cls, content: bytes) -> "WordAlignments":
        """What :meth:`to_bytes` has written.

        Raises:
            ValueError: it is not; NumPy and zipfile have exceptions of their own.
        """
        with np.load(BytesIO(content), allow_pickle=False) as arrays:
            source, outputs = words(arrays["source"]), words(arrays["outputs"])
            return cls(
                example=str(arrays["example"]),
                source=source,
                outputs=outputs,
                expected=numbers(arrays["expected"], len(outputs), len(source)),
                hard=numbers(arrays["hard"], len(outputs), len(source)),
            )
