"""How long a training step of the recogniser takes with each mechanism, against soft attention.

Beside the mechanisms stand CTC alone and soft attention trained jointly with CTC.

A step is forward, loss, backward, clipping and Adam, on random data of the demonstration's shapes
(experiments/demo.yaml) and of the paper's. Times are medians, in one process, each mechanism in
turn. Memory is the peak of a process of its own that makes two steps (on a GPU, of what PyTorch
has allocated there).
"""

import inspect
import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
import yaml
from harness import (
    Options,
    compute_as_runs_do,
    median_milliseconds,
    print_table,
    ratio,
    significant,
)
from torch.nn.utils import clip_grad_norm_

from mocha_lightning import attention
from mocha_lightning.attention import Attention, AttentionFactory, SoftAttention
from mocha_lightning.data import SpeechBatch, SpeechSpec, Vocabulary
from mocha_lightning.experiment.provenance import peak_memory_mib
from mocha_lightning.recognizer import CtcRecognizer, SpeechRecognizer
from mocha_lightning.recognizer.base import Recognizer

DEMO = Path(__file__).parent.parent / "experiments" / "demo.yaml"
CHUNK_SIZES = (2, 8)
ENCODER_ARGUMENTS = ("filters", "hidden_dim", "layers", "convolutional_lstm")
REPETITIONS = 9
CLIP = 1.0
MEMORY_STEPS = 2
"""Adam's state is there from the first update on; the second step has it beside it."""


@dataclass(frozen=True)
class Size:
    """A model and a batch.

    Attributes:
        name: whose they are.
        model: arguments of the recogniser that are not its defaults, the paper's.
        batch: utterances.
        frames: of each utterance.
        mel_bins: of each frame, in three channels.
        outputs: of each utterance.
    """

    name: str
    model: dict[str, Any]
    batch: int
    frames: int
    mel_bins: int
    outputs: int


def sizes() -> dict[str, Size]:
    """The demonstration's and the paper's."""
    demo = yaml.safe_load(DEMO.read_text(encoding="utf-8"))
    model = {
        name: value
        for name, value in demo["task"]["init_args"].items()
        if name.endswith("_dim") or name in ("filters", "layers", "convolutional_lstm")
    }
    data = demo["data"]["init_args"]
    return {
        "demo": Size("demonstration", model, data["batch_size"], 240, data["mel_bins"], 20),
        "paper": Size("paper", {}, 8, 700, 80, 90),
    }


def mechanisms() -> dict[str, AttentionFactory]:
    """Every mechanism of the package, soft attention first, those with chunks for several w."""
    exported = [getattr(attention, name) for name in attention.__all__]
    classes = [
        each
        for each in exported
        if inspect.isclass(each) and issubclass(each, Attention) and not inspect.isabstract(each)
    ]
    found: dict[str, AttentionFactory] = {}
    for each in sorted(classes, key=lambda each: each is not SoftAttention):
        if "chunk_size" in inspect.signature(each).parameters:
            for size in CHUNK_SIZES:
                found[f"{each.__name__}, w = {size}"] = partial(each, chunk_size=size)
        else:
            found[each.__name__] = each
    return found


class Untracked(Recognizer):
    """A recogniser without a Trainer to log to."""

    def log(self, *arguments: Any, **named: Any) -> None:
        """Keep nothing."""


class UntrackedAttention(Untracked, SpeechRecognizer):
    """The one with attention."""


class UntrackedCtc(Untracked, CtcRecognizer):
    """The one by CTC alone."""


Build = Callable[[SpeechSpec, Size], UntrackedAttention | UntrackedCtc]


def recognizers() -> dict[str, Build]:
    """One for each mechanism, and those of CTC."""

    def attending(mechanism: AttentionFactory, **more: Any) -> Build:
        return lambda spec, size: UntrackedAttention(spec, mechanism, **size.model, **more)

    def ctc(spec: SpeechSpec, size: Size) -> UntrackedCtc:
        shared = {name: value for name, value in size.model.items() if name in ENCODER_ARGUMENTS}
        return UntrackedCtc(spec, **shared)

    return {
        **{name: attending(mechanism) for name, mechanism in mechanisms().items()},
        CtcRecognizer.__name__: ctc,
        f"{SoftAttention.__name__}, with CTC": attending(SoftAttention, ctc_weight=0.3),
    }


def training_step(size: Size, name: str, device: str) -> Callable[[], None]:
    """A model, a batch and an optimiser, and what a step does with them."""
    torch.manual_seed(0)
    channels = 3
    spec = SpeechSpec(Vocabulary(), channels, size.mel_bins)
    model = recognizers()[name](spec, size).to(device)
    tokens = torch.randint(
        Vocabulary.EOS + 1, len(spec.vocabulary), (size.batch, size.outputs), device=device
    )
    batch = SpeechBatch(
        torch.randn(size.batch, size.frames, channels, size.mel_bins, device=device),
        torch.full((size.batch,), size.frames, device=device),
        tokens,
        torch.full((size.batch,), size.outputs, device=device),
        utterances=(),
        texts=(),
    )
    optimizer = model.configure_optimizers()["optimizer"]

    def step() -> None:
        model.on_train_batch_start(batch, 0)
        loss = model.training_step(batch, 0)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        clip_grad_norm_(model.parameters(), CLIP)
        optimizer.step()

    return step


def peak_mib(size: Size, name: str, device: str) -> float:
    """The most memory that this process has had, or allocated on its GPU, after some steps."""
    compute_as_runs_do()
    step = training_step(size, name, device)
    for _ in range(MEMORY_STEPS):
        step()
    if device == "cuda":
        return torch.cuda.max_memory_allocated() / (1 << 20)
    return peak_memory_mib()


def in_a_process_of_its_own(size: Size, name: str, device: str) -> float:
    """Call :func:`peak_mib` where nothing else has been done."""
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=fresh) as processes:
        return processes.submit(peak_mib, size, name, device).result()


def rows(size: Size, repetitions: int, device: str) -> Iterator[dict[str, str]]:
    """One row for each recogniser."""
    # Before this process grows: Linux counts a parent's memory as its child's.
    memory = {name: in_a_process_of_its_own(size, name, device) for name in recognizers()}
    steps = {name: training_step(size, name, device) for name in recognizers()}
    times = median_milliseconds(steps, repetitions, device)
    soft, soft_memory = times[SoftAttention.__name__], memory[SoftAttention.__name__]
    for name, each in times.items():
        yield {
            "model": name,
            "ms": significant(each),
            "ratio": ratio(each, soft),
            "peak MiB": significant(memory[name]),
            "more than soft, MiB": f"{memory[name] - soft_memory:+,.0f}",
        }


def main(arguments: list[str] | None = None) -> None:
    """Measure and print."""
    known = sizes()
    options = Options(__doc__, REPETITIONS)
    options.add_argument(
        "--sizes",
        nargs="+",
        choices=known,
        default=["demo", "paper"],
        help="of model and batch (default: demo paper)",
    )
    options.device()
    given = options.parse_args(arguments)
    compute_as_runs_do()
    for size in (known[name] for name in given.sizes):
        print_table(
            f"A training step at the {size.name}'s sizes: batch {size.batch}, {size.frames} frames "
            f"of {size.mel_bins} mel, {size.outputs} outputs",
            rows(size, given.repetitions, given.device),
        )


if __name__ == "__main__":
    main()
