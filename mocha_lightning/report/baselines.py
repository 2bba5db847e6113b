"""What a summary is worth that nothing was learnt for."""

from collections import Counter
from collections.abc import Sequence

from mocha_lightning.report.predictions import Prediction

LEAD_SENTENCES = 3
"""The lead of See et al. (2017), where a corpus does not say how much of a document it is."""


def lead(prediction: Prediction) -> str:
    """The lead baseline's summary: the document's first sentences, a sentence a line."""
    if prediction.lead is not None:
        return prediction.lead
    return "\n".join((prediction.source or "").splitlines()[:LEAD_SENTENCES])


def commonest_output(predictions: Sequence[Prediction]) -> tuple[str, int]:
    """What was made of the most documents, and of how many; of equals, the first."""
    counts = Counter(prediction.hypothesis for prediction in predictions)
    return counts.most_common(1)[0]
