"""Which scores a summariser's tests expect."""

ROUGES = ("rouge1", "rouge2", "rougeL", "rougeLsum", "exact_match")
SCORES = {
    *(f"{name}{kind}" for name in ROUGES for kind in ("", "_greedy", "_expected")),
    *("loss", "copied", "unknown_words", "length_cap"),
}
MONOTONIC_SCORES = {"undecided", "off_the_end"}
