"""Document summarisation: words in, words out, over any attention mechanism (Appendix A.2)."""

from mocha_lightning.summarizer.module import Summarizer

__all__ = ["Summarizer"]
