"""What exactly the scores of summaries are."""

from mocha_lightning.metrics import EXACT_MATCH_SIGNATURE, ROUGE, ROUGE_SIGNATURE


def signatures(greedy: str, search: str) -> dict[str, str]:
    """By score: how it is computed.

    Args:
        greedy: how greedy search is done.
        search: how the hypotheses are found that the scores are named for.
    """
    measures = {name: f"{name}|{ROUGE_SIGNATURE}" for name in ROUGE}
    measures["exact_match"] = EXACT_MATCH_SIGNATURE
    of_texts = {}
    for name, line in measures.items():
        of_texts[name] = f"{line}|attention:hard|{search}"
        of_texts[f"{name}_greedy"] = f"{line}|attention:hard|{greedy}"
        of_texts[f"{name}_expected"] = f"{line}|attention:expected|{search}"
    return {
        **of_texts,
        "loss": "nats per word, the end mark counted|true inputs|attention:expected",
        "copied": "share of probability given to copying|true inputs|attention:expected",
        "unknown_words": f"share of words that the vocabulary lacks|attention:hard|{search}",
        "undecided": "share of reached entries with p in (0.1, 0.9)|true inputs",
        "off_the_end": f"share of outputs with a context of zero|attention:hard|{search}",
        "length_cap": f"share of documents|attention:hard|{search}",
    }
