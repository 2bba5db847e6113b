"""What a reader is shown."""

from mocha_lightning.experiment.shown import short_names


def test_a_path_is_called_by_as_few_of_its_last_parts_as_no_other_has() -> None:
    paths = ["task.attention.gain", "task.head.gain", "task.attention.offset", "gain"]
    assert short_names(paths) == {
        "task.attention.gain": "attention.gain",
        "task.head.gain": "head.gain",
        "task.attention.offset": "offset",
        "gain": "gain",
    }


def test_no_path_is_called_by_what_is_taken() -> None:
    assert short_names(["data.steps", "steps"], {"steps"}) == {
        "data.steps": "data.steps",
        "steps": "steps",
    }
