"""``mocha-lightning schematic``: the paper's Figure 1."""

from collections.abc import Sequence
from pathlib import Path

from jsonargparse import Namespace
from rich.console import Console
from rich.text import Text

from mocha_lightning.cli.parsing import (
    DONE,
    Command,
    Parser,
    add_folder,
    as_typed,
    from_0,
)


def _parser() -> Parser:
    parser = Parser(
        description="Draw the paper's Figure 1: what soft, hard monotonic and chunkwise attention "
        "look at, by their own hard decoding of a small random memory; and the same of MAtChA."
    )
    parser.add_argument(
        "--seed", type=from_0, default=21, help="of the memory and the queries (default: 21)"
    )
    add_folder(parser, "reports")
    return parser


def _do(options: Namespace, words: Sequence[str]) -> int:
    from mocha_lightning.experiment.whole_files import write_all
    from mocha_lightning.experiment.writable import check_writable

    folder = Path(options.reports) / "schematic"
    check_writable(folder / "figures", "--reports")
    from mocha_lightning.pictures.figure import pdf, png
    from mocha_lightning.pictures.schematic import DOTS_AN_INCH, draw_schematic
    from mocha_lightning.report.reproduce import reproduce
    from mocha_lightning.report.schematic import PAGE, schematic_page
    from mocha_lightning.schematic import figure_1, figure_of_appendix_c, random_scene

    scene = random_scene(options.seed)
    origin = reproduce(as_typed(words))
    files: dict[str, str | bytes] = {PAGE: schematic_page(origin)}
    for name, grids in (("schematic", figure_1(scene)), ("matcha", figure_of_appendix_c(scene))):
        figure = draw_schematic(grids)
        files |= {
            f"figures/{name}.png": png(figure, DOTS_AN_INCH),
            f"figures/{name}.pdf": pdf(figure),
        }
    write_all(folder, files)
    figures = folder / "figures"
    Console().print(
        Text(
            f"Figures: {figures / 'schematic.png'}, {figures / 'matcha.png'} (and .pdf). "
            f"Report: {folder / PAGE}"
        ),
        soft_wrap=True,
    )
    return DONE


COMMAND = Command("draw the paper's Figure 1 by the mechanisms themselves", _parser, _do)
