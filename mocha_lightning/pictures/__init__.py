"""Pictures of what models attend to; needs neither the models nor what they are made of."""

from mocha_lightning.pictures.alignments import Alignments
from mocha_lightning.pictures.figure import draw, png

__all__ = ["Alignments", "draw", "png"]
