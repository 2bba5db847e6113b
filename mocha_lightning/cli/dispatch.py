"""Which command is meant, and what its process ends with."""

import sys
from collections.abc import Sequence
from importlib.metadata import version
from importlib.util import find_spec

from jsonargparse import set_parsing_settings

from mocha_lightning.cli import (
    aa,
    compare,
    dashboard,
    evaluate,
    index,
    parameters,
    plan,
    prepare,
    report,
    rerun,
    run,
    schematic,
    speed,
    status,
    summarize,
    sweep,
    sync,
    transcribe,
    view,
)
from mocha_lightning.cli.home import check_home
from mocha_lightning.cli.parsing import MISTAKE, READER_GONE, Command, Parser
from mocha_lightning.cli.streams import bear_any_character, drop_unwritten
from mocha_lightning.errors import UserError
from mocha_lightning.experiment.whole_files import UNWRITABLE

COMMANDS: dict[str, Command] = {
    "run": run.COMMAND,
    "plan": plan.COMMAND,
    "prepare": prepare.COMMAND,
    "sweep": sweep.COMMAND,
    "status": status.COMMAND,
    "report": report.COMMAND,
    "compare": compare.COMMAND,
    "evaluate": evaluate.COMMAND,
    "rerun": rerun.COMMAND,
    "aa": aa.COMMAND,
    "transcribe": transcribe.COMMAND,
    "summarize": summarize.COMMAND,
    "speed": speed.COMMAND,
    "schematic": schematic.COMMAND,
    "index": index.COMMAND,
    "sync": sync.COMMAND,
    "dashboard": dashboard.COMMAND,
    "view": view.COMMAND,
    "parameters": parameters.COMMAND,
}


def dispatch(arguments: Sequence[str] | None) -> int:
    """Run a command and give its exit code; None: of the process's own command line."""
    bear_any_character()
    words = list(sys.argv[1:] if arguments is None else arguments)
    parser = _parser()
    if not words:
        parser.print_help(sys.stderr)
        sys.exit(MISTAKE)
    options = parser.parse_args(words)
    try:
        check_home()
        code: int = COMMANDS[options.command].do(options[options.command], words)
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        code = MISTAKE
    except BrokenPipeError:
        drop_unwritten()
        code = READER_GONE
    except SystemExit as ended:
        # What Rich makes of it.
        if not isinstance(ended.__context__, BrokenPipeError):
            raise
        code = READER_GONE
    except OSError as error:
        # Of a file that should take another's place, the other's.
        place = error.filename2 or error.filename
        # Whatever is wrong with a place that has a name is to be mended there.
        if place is None and error.errno not in UNWRITABLE:
            raise
        remedy = "make room or give access" if error.errno in UNWRITABLE else "mend that"
        print(
            f"error: {place or 'the output'}: {error.strerror}: {remedy}, or choose another place",
            file=sys.stderr,
        )
        drop_unwritten()
        code = MISTAKE
    return code


def _parser() -> Parser:
    # What prints a script for a shell; there is nothing to choose from without shtab.
    set_parsing_settings(add_print_completion_argument=find_spec("shtab") is not None)
    parser = Parser(
        prog="mocha-lightning",
        description="Comparisons of attention mechanisms for online sequence transduction.",
        version=version("mocha-lightning"),
        commands=tuple(COMMANDS),
    )
    commands = parser.add_subcommands(dest="command", required=True)
    for name, command in COMMANDS.items():
        commands.add_subcommand(name, command.parser(), help=command.help)
    return parser
