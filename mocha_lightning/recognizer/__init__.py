"""Speech recognition: features in, characters out, over any attention mechanism."""

from mocha_lightning.recognizer.module import SpeechRecognizer

__all__ = ["SpeechRecognizer"]
