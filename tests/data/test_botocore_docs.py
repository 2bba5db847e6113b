"""API documentation, from a package in the layout of botocore's and from the real one."""

import gzip
import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from mocha_lightning.data import BotocoreDocumentation, botocore_docs
from mocha_lightning.data.botocore_docs import paragraphs_of
from mocha_lightning.data.deduplication import split_of
from mocha_lightning.errors import UserError

from .texts import opened, pairs

REST = "It does so at once, and tells you in the answer what came of it."


def write(package: Path, service: str, version: str, packed: bool = True, **docs: str) -> None:
    folder = package / "data" / service / version
    folder.mkdir(parents=True)
    operations: dict[str, Any] = {name: {"documentation": text} for name, text in docs.items()}
    operations["Undocumented"] = {}
    content = json.dumps({"operations": operations}).encode()
    if packed:
        (folder / "service-2.json.gz").write_bytes(gzip.compress(content, mtime=0))
    else:
        (folder / "service-2.json").write_bytes(content)


def services(split: str, count: int = 2) -> list[str]:
    names = (f"service{number}" for number in range(200))
    return [name for name in names if split_of(name) == split][:count]


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "botocore"
    for number, split in enumerate(("train", "validation", "test")):
        for service in services(split):
            doc = f"<p>Deletes {service}, {number}. In {service}, {REST}</p>"
            write(folder, service, "2015-01-01", DeleteIt=doc)
    return folder


def corpus(package: Path, **changes: Any) -> BotocoreDocumentation:
    cache = str(package.parent / "cache")
    return BotocoreDocumentation(str(package), **{"cache_dir": cache, "batch_size": 1, **changes})


def test_the_rest_of_a_documentation_is_summarised_by_its_first_sentence(package: Path) -> None:
    texts = pairs(corpus(package))
    first, second = services("test")
    assert sorted(texts["test"]) == sorted([f"{first}.DeleteIt", f"{second}.DeleteIt"])
    document, summary = texts["test"][f"{first}.DeleteIt"]
    assert summary == f"deletes {first} , 2 ."
    assert document.startswith(f"in {first} , it does so at once ,")


def test_the_last_version_of_a_service_counts(package: Path) -> None:
    service = services("train")[0]
    write(package, service, "2016-01-01", packed=False, MakeIt=f"<p>Makes {service}. {REST}</p>")
    ids = list(pairs(corpus(package))["train"])
    assert f"{service}.MakeIt" in ids
    assert f"{service}.DeleteIt" not in ids


def test_marks_of_blocks_end_lines_and_others_leave_no_trace() -> None:
    html = "<p>Gets <code>A</code>s &amp; B. </p> C<ul><li>D<li> <b>E</b>, F</ul>G<br/>H"
    assert [line for line, _ in paragraphs_of(html)] == ["Gets As & B.", "C", "D", "E, F", "G", "H"]


def test_an_aside_is_not_the_summary(package: Path) -> None:
    service = services("train")[0]
    note = "<note> <p>This is old. Use the other.</p> </note>"
    doc = f"{note}<p>Draws <i>one</i> picture. {REST}</p><p>Then ends.</p>"
    write(package, service, "2016-01-01", DrawIt=doc)
    document, summary = pairs(corpus(package))["train"][f"{service}.DrawIt"]
    assert summary == "draws one picture ."
    assert document.split("\n")[:2] == ["this is old .", "use the other ."]
    assert document.split("\n")[-1] == "then ends ."


def test_what_has_no_rest_is_left_out(package: Path) -> None:
    service = services("train")[0]
    write(package, service, "2016-01-01", A="<p>Says all.</p>", B="", C=f"<p>Is one. {REST}</p>")
    ids = [name for name in pairs(corpus(package))["train"] if name.startswith(f"{service}.")]
    assert ids == [f"{service}.C"]


def test_a_moved_package_is_the_same_and_a_changed_one_another(
    package: Path, tmp_path: Path
) -> None:
    before = corpus(package).folder.name
    moved = package.rename(tmp_path / "elsewhere")
    assert corpus(moved).folder.name == before
    write(moved, services("test")[0], "2016-01-01", A="x")
    assert corpus(moved).folder.name != before


def test_a_package_that_cannot_be_read_is_told(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UserError, match=r"holds no \*/\*/service-2\.json\*: name the folder"):
        corpus(package / "data").prepare_data()
    path = package / "data" / services("train")[0] / "2015-01-01" / "service-2.json.gz"
    path.write_bytes(gzip.compress(b"[]"))
    with pytest.raises(UserError, match=r"does not describe a service .*: install botocore again"):
        corpus(package).prepare_data()
    path.write_bytes(path.read_bytes()[:9])
    with pytest.raises(UserError, match=r"cannot be read .*: install botocore again"):
        corpus(package).prepare_data()
    monkeypatch.setattr(botocore_docs, "find_spec", lambda _: None)
    with pytest.raises(UserError, match=r'not installed: run pip install "mocha-l.*\[docs\]"'):
        BotocoreDocumentation().prepare_data()


@pytest.mark.skipif(find_spec("botocore") is None, reason="botocore is not installed (extra: docs)")
def test_the_real_documentation(tmp_path: Path) -> None:
    """A few services of it."""
    found = find_spec("botocore")
    assert found is not None
    assert found.submodule_search_locations
    real = Path(found.submodule_search_locations[0]) / "data"
    some = tmp_path / "botocore" / "data"
    some.mkdir(parents=True)
    for split, count in (("train", 12), ("validation", 4), ("test", 4)):
        names = [path.name for path in sorted(real.iterdir()) if split_of(path.name) == split]
        for service in names[:count]:
            (some / service).symlink_to(real / service)
    data = corpus(some.parent)
    data.jobs = 1
    facts = opened(data).describe()
    assert sum(each["documents"] for each in facts["splits"].values()) > 150
    train = facts["splits"]["train"]
    assert 50 < train["mean_document_words"] < 200
    assert 8 < train["mean_summary_words"] < 20
    assert 0.45 < train["share_of_summary_words_in_document"] < 0.75
