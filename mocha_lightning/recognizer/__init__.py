"""Speech recognition: features in, characters out, over any attention mechanism or by CTC."""

from mocha_lightning.recognizer.ctc import CtcRecognizer
from mocha_lightning.recognizer.module import SpeechRecognizer

__all__ = ["CtcRecognizer", "SpeechRecognizer"]
