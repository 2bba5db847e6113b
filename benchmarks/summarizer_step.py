"""How long a training step of the summariser takes, how much memory, and what batch would fit.

A step is forward, loss, backward, clipping and Adam, on random documents of the paper's sizes:
50,000 words in the vocabulary, 400 words a document, 100 a summary. Every row is of a process of
its own: time is the median of the steps after the first, memory the peak of all (on a GPU, of what
PyTorch has allocated there). The straight line through the two largest batches is continued to
estimate the batches that fit 24 and 80 GB. Of small batches memory hardly depends: what needs most
is then the output layer's gradient, 0.4 GB a copy.
"""

import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import torch
from harness import Options, compute_as_runs_do, median_milliseconds, print_table, significant
from torch.nn.utils import clip_grad_norm_

from mocha_lightning.attention import (
    AttentionFactory,
    MoChA,
    MonotonicAttention,
    NoAttention,
    SoftAttention,
)
from mocha_lightning.data import DocumentBatch, DocumentSpec, WordVocabulary
from mocha_lightning.experiment.provenance import peak_memory_mib
from mocha_lightning.summarizer import Summarizer

MECHANISMS: dict[str, AttentionFactory] = {
    "soft": SoftAttention,
    "monotonic": partial(MonotonicAttention, offset=-1.0),
    "mocha_w8": partial(MoChA, chunk_size=8, offset=0.0),
    "none": NoAttention,
}
"""Table 2's, with their initial offsets, and what the model is without any."""
BATCHES = (16, 32)
REPETITIONS = 1
CLIP = 5.0
GIGABYTES = (24, 80)
"""Of GPUs whose batches are estimated; a tenth is left to what is not the model's."""
USABLE = 0.9


@dataclass(frozen=True)
class Size:
    """A model and its documents.

    Attributes:
        vocabulary: words and marks.
        source: words of a document.
        unknown: of them, distinct ones that the vocabulary lacks.
        target: words of a summary, the end mark counted.
        model: arguments of the summariser that are not its defaults, the paper's.
    """

    vocabulary: int = 50_000
    source: int = 400
    unknown: int = 10
    target: int = 100
    model: dict[str, Any] = field(default_factory=dict)


PAPER = Size()


class Step(NamedTuple):
    """What a step took."""

    parameters: int
    seconds: float
    mib: float


class Untracked(Summarizer):
    """The summariser without a Trainer to log to."""

    def log(self, *arguments: Any, **named: Any) -> None:
        """Keep nothing."""


def documents(size: Size, batch: int, device: str) -> DocumentBatch:
    """Random ones, all of full length."""
    marks = WordVocabulary.EOS + 1
    most = size.vocabulary + size.unknown
    extended = torch.randint(marks, most, (batch, size.source))
    target = torch.randint(marks, most, (batch, size.target))
    return DocumentBatch(
        source=extended.masked_fill(extended >= size.vocabulary, WordVocabulary.UNK).to(device),
        extended_source=extended.to(device),
        source_lengths=torch.full((batch,), size.source, device=device),
        target=target.to(device),
        target_lengths=torch.full((batch,), size.target, device=device),
        unknown=(tuple(map(str, range(size.unknown))),) * batch,
        examples=(),
    )


def measure(size: Size, mechanism: str, batch: int, device: str, repetitions: int) -> Step:
    """Make a step and then some more, which have Adam's state beside them from the beginning."""
    compute_as_runs_do()
    torch.manual_seed(0)
    words = tuple(map(str, range(size.vocabulary - WordVocabulary.EOS - 1)))
    spec = DocumentSpec(WordVocabulary(words))
    model = Untracked(spec, MECHANISMS[mechanism], **size.model).to(device)
    given = documents(size, batch, device)
    optimizer = model.configure_optimizers()["optimizer"]

    def step() -> None:
        model.on_train_batch_start(given, 0)
        loss = model.training_step(given, 0)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        clip_grad_norm_(model.parameters(), CLIP)
        optimizer.step()

    times = median_milliseconds({mechanism: step}, repetitions, device)
    mib = torch.cuda.max_memory_allocated() / (1 << 20) if device == "cuda" else peak_memory_mib()
    return Step(sum(p.numel() for p in model.parameters()), times[mechanism] / 1e3, mib)


def in_a_process_of_its_own(
    size: Size, mechanism: str, batch: int, device: str, repetitions: int
) -> Step:
    """Call :func:`measure` where nothing else has been done."""
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=fresh) as processes:
        return processes.submit(measure, size, mechanism, batch, device, repetitions).result()


def largest_batch(batches: Sequence[int], mib: Sequence[float], gigabytes: int) -> str:
    """The batch at which memory, on a straight line through the two largest, is used up."""
    if len(batches) < 2:
        return ""
    slope = (mib[-1] - mib[-2]) / (batches[-1] - batches[-2])
    base = mib[-1] - slope * batches[-1]
    room = USABLE * gigabytes * 1e9 / (1 << 20)
    return f"about {max(0, int((room - base) / slope)):,}" if slope > 0 else ""


def rows(
    size: Size,
    mechanisms: Sequence[str],
    batches: Sequence[int],
    device: str,
    repetitions: int,
) -> Iterator[dict[str, str]]:
    """One row for each mechanism and batch; what fits, beside the largest."""
    for mechanism in mechanisms:
        steps = [
            in_a_process_of_its_own(size, mechanism, batch, device, repetitions)
            for batch in batches
        ]
        mib = [step.mib for step in steps]
        for batch, step in zip(batches, steps, strict=True):
            last = batch == batches[-1]
            yield {
                "mechanism": mechanism,
                "parameters": f"{step.parameters:,}",
                "batch": str(batch),
                "seconds": significant(step.seconds),
                "peak MiB": significant(step.mib),
                **{
                    f"fits {gb} GB (estimate)": largest_batch(batches, mib, gb) if last else ""
                    for gb in GIGABYTES
                },
            }


def main(arguments: list[str] | None = None) -> None:
    """Measure and print."""
    options = Options(__doc__, REPETITIONS)
    options.add_argument(
        "--mechanisms",
        nargs="+",
        choices=MECHANISMS,
        default=["soft", "monotonic", "mocha_w8"],
        help="to measure (default: soft monotonic mocha_w8)",
    )
    options.whole_numbers("--batches", BATCHES, "documents of a batch, growing")
    options.device()
    given = options.parse_args(arguments)
    compute_as_runs_do()
    print_table(
        f"A training step of the summariser: {PAPER.vocabulary:,} words, {PAPER.source} words a "
        f"document, {PAPER.target} a summary",
        rows(
            PAPER,
            given.mechanisms,
            sorted(set(given.batches)),
            given.device,
            given.repetitions,
        ),
    )


if __name__ == "__main__":
    main()
