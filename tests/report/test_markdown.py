"""The page that people read."""

from mocha_lightning.report.content import build_report
from mocha_lightning.report.markdown import markdown
from mocha_lightning.report.reading import read_runs
from mocha_lightning.report.texts import read_texts

from .conftest import EXPERIMENT, PUBLISHED, Folder, diverge, put
from .predicting import as_speech, predict


def page(runs: Folder) -> str:
    found = read_runs(runs.path)
    return markdown(build_report(found, read_texts(runs.path, found)))


def cells(text: str, first: str) -> list[str]:
    (line,) = (line for line in text.splitlines() if line.startswith(f"| {first} "))
    return [cell.strip() for cell in line.strip("|").split("|")]


def legend(text: str) -> list[str]:
    """What is explained, by name."""
    lines = text[text.index("## Columns") :].splitlines()
    return [line.removeprefix("- **").partition("**")[0] for line in lines if line[:3] == "- *"]


def test_the_variants_have_a_row_each(runs: Folder) -> None:
    text = page(runs)
    assert cells(text, "soft") == (
        ["soft", "3", "4.00", "4.20", "0.20"]
        + ["\N{EN DASH}"] * 3
        + ["0.0 %", "950", "1,000", "101"]
    )
    assert cells(text, "mocha_w2 ")[4:9] == ["0.20", "1.50", "12.5 %", "20.0 %", "0.0 %"]
    assert "1,025 (+2.5 %)" in text


def test_every_run_s_score_is_told(runs: Folder) -> None:
    assert "- soft: 4.00 (seed 0), 4.40 (seed 1), 4.20 (seed 2)\n" in page(runs)


def test_a_run_that_does_not_decide_is_pointed_at(runs: Folder) -> None:
    assert "does not decide" not in page(runs)
    runs.change("mocha_w2", 1, put("metrics.test/wer.value", 45.0))
    assert (
        "- ! mocha_w2, seed 1: hard decoding loses what training has learnt: the head does not "
        "decide yet (45.00, and 1.50 under expected attention)"
    ) in page(runs)


def test_a_comparison_has_a_row_and_a_sentence(runs: Folder) -> None:
    text = page(runs)
    row = cells(text, "mocha_w2 - soft")
    assert row[1:3] == ["-2.00", "-2.45 to -1.55"]
    assert row[3:] == ["-12.25 (0.00026)", "-12.25 (0.00026)", "3, 3"]
    assert "- mocha_w2 is lower (better) than soft by 2.00" in text


def test_all_figures_of_the_metric_have_the_decimals_that_its_differences_need(
    runs: Folder,
) -> None:
    runs.judge_by("test/loss")
    for seed, (soft, mocha) in enumerate([(0.45, 0.4498), (0.46, 0.4609), (0.44, 0.4372)]):
        runs.change("soft", seed, put("metrics.test/loss.value", soft))
        runs.change("mocha_w2", seed, put("metrics.test/loss.value", mocha))
    text = page(runs)
    assert cells(text, "soft")[2:5] == ["0.44000", "0.45000", "0.01000"]
    assert cells(text, "mocha_w2 ")[2:5] == ["0.43720", "0.44930", "0.01186"]
    row = cells(text, "mocha_w2 - soft")
    assert row[1] == "-0.00070"
    assert row[2] == "-0.02585 to +0.02445"
    assert f"between mocha_w2 and soft: {row[1]} (95 % interval {row[2]})" in text


def test_a_difference_of_nothing_but_rounding_is_zero(runs: Folder) -> None:
    for variant, wers in (("soft", [0.1, 0.2, 0.6]), ("mocha_w2", [0.3, 0.3, 0.3 - 1e-15])):
        for seed, wer in enumerate(wers):
            runs.change(variant, seed, put("metrics.test/wer.value", wer))
    text = page(runs)
    assert cells(text, "soft")[3] == "0.30"
    assert cells(text, "mocha_w2 - soft")[1] == "+0.00"


def test_what_runs_say_of_themselves_is_no_markdown(runs: Folder) -> None:
    hostile = "a <b>x</b> `c` *d* _e_ mocha_w2 ~f~ $g$ [h](i) &lt; j\\k\n# l\u202e\x1b[31m"
    plain = r"a \<b>x\</b> \`c\` \*d\* \_e\_ mocha_w2 \~f\~ \$g\$ [h\](i) \&lt; j\\k # l [31m"
    for variant in EXPERIMENT["variants"]:
        runs.change_all(variant, put("notes", [hostile, "# one", "- two"]))
        runs.change_all(variant, put("provenance.command", hostile))
        runs.change_all(variant, put("data.name", hostile))
        runs.change_all(
            variant, put("metrics.test/wer.signature", f"wer|without:<noise>|{hostile}")
        )
    runs.change("soft", 0, diverge(7))
    runs.change("soft", 0, put("ended", hostile))
    runs.experiment(published={**PUBLISHED, "source": hostile, "rows": {hostile: {"<i>|": 1.0}}})
    text = page(runs)
    for said in (
        f"- {plain}\n",
        "- \\# one\n",
        "- \\- two\n",
        f"Reproduce: {plain} (commit",
        f"Data: {plain} (",
        r"Measured as: wer|without:\<noise>|" + plain,
        r"- **without:\<noise>**: ",
        f"ended early ({plain})",
        f"{plain}, on another corpus: figures",
        r" \<i>\| |",
        f"| {plain} ",
    ):
        assert said in text
    assert "<b>" not in text.replace(r"\<b>", "")
    assert "\x1b" not in text


def test_no_comparisons_no_section(runs: Folder) -> None:
    runs.experiment(comparisons=[])
    assert "Comparisons" not in page(runs)


def test_the_caption_names_experiment_metric_and_data(runs: Folder) -> None:
    assert (
        "tiny: test/wer under hard decoding, in per cent; lower is better. Measured as: test/wer "
        "by jiwer 4.0.0. Data: spoken-numbers (speech: synthetic (eSpeak NG); utterances: 3,000 "
        "train, 200 validation, 400 test)."
    ) in page(runs)


def test_of_a_metric_that_is_not_of_decoding_none_is_claimed(runs: Folder) -> None:
    runs.judge_by("test/loss")
    text = page(runs)
    assert "tiny: test/loss; lower is better." in text
    assert "- **best, mean, SD**: over the runs, of test/loss; SD" in text
    assert "mean, expected" not in text
    assert "per cent" not in text


def test_a_metric_of_decoding_is_one_that_some_run_has_with_expected_attention(
    runs: Folder,
) -> None:
    assert "over the runs, of test/wer under hard decoding; SD" in page(runs)
    runs.change_all("mocha_w2", lambda run: run["metrics"].pop("test/wer_expected"))
    assert "tiny: test/wer, in per cent; lower is better." in page(runs)


def test_what_differs_from_the_paper_is_listed(runs: Folder) -> None:
    runs.change_all("mocha_w2", lambda run: run["departures"].append(["task.gain", 2, 0.1]))
    text = page(runs)
    assert "- task.learning_rate: 0.004 (paper: 0.001)\n" in text
    assert "- task.gain: 2 (paper: 0.1), in mocha_w2\n" in text
    assert "- The corpus is not the paper's.\n" in text


def test_an_unfinished_experiment_says_so_first(runs: Folder) -> None:
    assert "INCOMPLETE" not in page(runs)
    runs.remove("soft", 0)
    runs.remove("soft", 2)
    runs.remove("mocha_w2", 1)
    heading, second, *_ = page(runs).split("\n\n")
    assert heading == "# tiny"
    assert second == ("**INCOMPLETE: 3 of 6 runs are missing: soft seeds 0, 2; mocha_w2 seed 1.**")


def test_a_doubtful_run_is_marked_and_explained(runs: Folder) -> None:
    runs.change("mocha_w2", 0, put("metrics.test/length_cap.value", 0.05))
    runs.change("soft", 1, put("metrics.test/wer.value", None))
    text = page(runs)
    assert cells(text, "soft !")[2:5] == ["NaN", "NaN", "NaN"]
    assert cells(text, "mocha_w2 !")[2] == "2.00"
    assert "- ! soft, seed 1: some scores are not a number (test/wer)\n" in text
    assert (
        "- ! mocha_w2, seed 0: decoding hit the length cap on more than 3 % of the test set "
        "(5.0 %)\n"
    ) in text


def test_a_run_that_ended_early_leaves_no_number_and_says_why(runs: Folder) -> None:
    runs.change("mocha_w2", 1, diverge(12))
    text = page(runs)
    assert cells(text, "mocha_w2 !")[1:9] == ["3", *["NaN"] * 7]
    assert ("- ! mocha_w2, seed 1: ended early (the training loss was nan at step 12)\n") in text


def test_the_last_line_says_how_to_make_the_table_again(runs: Folder) -> None:
    assert page(runs).splitlines()[-1] == (
        "Reproduce: mocha-lightning run experiments/tiny.yaml "
        "(commit abcdef012345; data sha256 d47ad47ad47a)"
    )
    runs.change("soft", 0, put("provenance.dirty", True))
    runs.change("soft", 1, put("provenance.commit", None))
    assert "(commit abcdef012345 with uncommitted changes, unknown, abcdef012345; data" in page(
        runs
    )


def test_a_pipe_in_a_name_does_not_break_the_table(runs: Folder) -> None:
    runs.experiment(variants={**EXPERIMENT["variants"], "a|b": {}})
    assert r"| a\|b " in page(runs)


def test_the_page_says_what_variants_differ_in(runs: Folder) -> None:
    mocha = {"class_path": "mocha_lightning.attention.MoChA", "init_args": {"chunk_size": 4}}
    for seed in range(3):
        runs.change("mocha_w2", seed, put("differences", {"task.attention": mocha}))
    assert "- mocha_w2: task.attention: MoChA(chunk_size=4)\n" in page(runs)


def test_the_page_says_how_long_they_were_trained(runs: Folder) -> None:
    assert "\nTrained for 1,000 steps of 16.\n" in page(runs)
    for variant in ("soft", "mocha_w2"):
        for seed in range(3):
            runs.change(variant, seed, put("config.data.init_args", {}))
    assert "\nTrained for 1,000 steps.\n" in page(runs)


def test_an_argument_that_is_none_is_not_called_null(runs: Folder) -> None:
    runs.change_all("soft", put("departures", [["data.held_out_speaker", None, "1/sqrt(d)"]]))
    assert "- data.held_out_speaker: none (paper: 1/sqrt(d)), in soft\n" in page(runs)


def test_baselines_stand_below_the_variants_scores(runs: Folder) -> None:
    predict(runs)
    for variant in ("soft", "mocha_w2"):
        for seed, value in enumerate((30.0, 31.0, 32.0)):
            score = {"value": value, "signature": "F1"}
            runs.change(variant, seed, put("metrics.test/rouge1", score))
    text = page(runs)
    table = text[text.index("## Baselines") :]
    measures = ["exact match", "ROUGE-1", "ROUGE-2", "ROUGE-Lsum"]
    assert cells(table, "variant or baseline")[1:] == measures
    soft = next(line for line in table.splitlines() if line.startswith("| soft "))
    dash = "\N{EN DASH}"
    assert [cell.strip() for cell in soft.split("|")[2:-1]] == [dash, "31.00 (1.00)", dash, dash]
    assert cells(table, "lead: first 3 sentences of the document")[1] == "0.00"
    assert "ROUGE" in legend(text)


def test_published_figures_stand_by_themselves_with_their_source(runs: Folder) -> None:
    assert "Published" not in page(runs)
    runs.experiment(published=PUBLISHED)
    text = page(runs)
    section = text[text.index("## Published figures") :]
    assert (
        "Table 1 of somebody, on another corpus: figures of that publication, and of no run of "
        "this report."
    ) in section
    assert cells(section, "published")[1:] == ["best", "SD", "N"]
    assert cells(section, "soft, theirs")[1:] == ["14.2", "0.3", "\N{EN DASH}"]
    assert cells(section, "w = 2")[1:] == ["13.9", "\N{EN DASH}", "8"]


def test_each_order_has_its_scores(runs: Folder) -> None:
    predict(runs)
    text = page(runs)
    table = text[text.index("## Scores by order") :]
    rows = [line.split("|") for line in table.splitlines()[4:8]]
    assert [[cell.strip() for cell in row[1:6]] for row in rows] == [
        ["soft", "normal", "3", "3", "100.00 (0.00)"],
        ["mocha_w2", "normal", "3", "3", "44.44 (19.25)"],
        ["soft", "reversed", "1", "3", "66.67 (57.74)"],
        ["mocha_w2", "reversed", "1", "3", "0.00 (0.00)"],
    ]


def test_of_one_order_there_is_no_table(runs: Folder) -> None:
    predict(runs, lambda record: record.update(order="normal"))
    assert "Scores by order" not in page(runs)


def test_samples_survive_whatever_characters_they_have(runs: Folder) -> None:
    predict(runs, lambda record: record.update(reference="a|b\n* <i>_c_ `d` # $e$"))
    text = page(runs)
    assert r"- reference: a\|b \* \<i\>\_c\_ \`d\` \# \$e\$" in text.splitlines()
    assert "- mocha\\_w2 (seed 0): x y ." in text.splitlines()


def test_samples_of_speech_have_no_source(runs: Folder) -> None:
    predict(runs, as_speech)
    text = page(runs)
    samples = text[text.index("## Samples") : text.index("## What variants")]
    assert samples.splitlines()[4:9] == [
        *("**a**", "", "- reference: d c .", "- soft (seed 0): d c ."),
        "- mocha\\_w2 (seed 0): x y .",
    ]
    assert "Baselines" not in text


def test_signs_that_a_terminal_obeys_are_not_written(runs: Folder) -> None:
    def change(record: dict[str, object]) -> None:
        record["hypothesis"] = "a\x00\x1b[31mb"

    predict(runs, change)
    text = page(runs)
    assert "\x1b" not in text
    assert "\x00" not in text
    assert "a \\[31mb" in text
