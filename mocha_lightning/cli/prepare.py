"""``mocha-lightning prepare``: prepare the data of an experiment and say what is in them."""

import json
from pathlib import Path

from jsonargparse import Namespace
from rich.console import Console

from mocha_lightning.cli.parsing import DONE, Command, Parser, above_0, add_set, settings_of
from mocha_lightning.cli.streams import say_loading
from mocha_lightning.data.workers import cores


def _parser() -> Parser:
    parser = Parser(
        description="Prepare the data of every variant of an experiment, once, and say what is in "
        "them. Stopped, killed or out of disk, the same command goes on where it stood with "
        "recordings; synthetic speech is made anew."
    )
    parser.add_argument(
        "experiment", type=str, help="an experiment file, such as experiments/demo.yaml"
    )
    add_set(parser)
    parser.add_argument(
        "--jobs", type=above_0, help="processes that read recordings (default: one for each core)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and no table")
    return parser


def _do(options: Namespace, *_: object) -> int:
    from mocha_lightning.experiment.file import read_file

    read_file(Path(options.experiment))
    settings = settings_of(options.set)
    say_loading()
    from mocha_lightning.experiment.corpora import check_corpora, load_corpora, prepare_corpora
    from mocha_lightning.experiment.imports import make_folder_importable
    from mocha_lightning.experiment.inventory import facts_of, print_facts

    make_folder_importable()
    corpora = load_corpora(Path(options.experiment), settings)
    prepare_corpora(corpora, options.jobs or cores())
    facts = [facts_of(corpus) for corpus in corpora]
    if options.json:
        print(json.dumps({"data": facts}, indent=2, ensure_ascii=False))
    else:
        for each in facts:
            print_facts(each, Console())
    check_corpora(corpora)
    return DONE


COMMAND = Command("prepare the data of an experiment and say what is in it", _parser, _do)
