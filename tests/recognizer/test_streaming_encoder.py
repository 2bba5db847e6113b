"""The encoder as a stream: the memory of the whole, however the features are cut."""

from itertools import pairwise

import pytest
import torch
from torch import Tensor

from mocha_lightning.recognizer.encoder import Encoder
from mocha_lightning.recognizer.streaming_encoder import EncoderStream

from .setting import SPEC, features_of
from .test_encoder import encoder, trained

KINDS = {
    "symmetric": {},
    "causal": {"causal": True},
    "without convolutional LSTM": {"convolutional_lstm": False},
    "causal without convolutional LSTM": {"causal": True, "convolutional_lstm": False},
    "wider": {"kernel_frames": 5},
    "wider and causal": {"kernel_frames": 7, "causal": True},
}
kinds = pytest.mark.parametrize("kind", KINDS)


def streamed(module: Encoder, features: Tensor, cuts: list[int]) -> Tensor:
    stream = EncoderStream(module)
    pieces = pairwise([0, *cuts, len(features)])
    entries = [stream.accept(features[start:end]) for start, end in pieces]
    return torch.cat([*entries, stream.finish()])


def random_cuts(frames: int, seed: int) -> list[int]:
    generator = torch.Generator().manual_seed(seed)
    count = int(torch.randint(0, 12, (), generator=generator))
    return torch.randint(0, frames + 1, (count,), generator=generator).sort().values.tolist()


@kinds
@pytest.mark.parametrize("frames", [*range(1, 14), 61])
def test_it_gives_the_memory_of_the_offline_encoder(frames: int, kind: str) -> None:
    module, features = trained(**KINDS[kind]), features_of(frames)
    with torch.no_grad():
        h, _ = module(features[None], torch.tensor([frames]))
    found = streamed(module, features, [])
    torch.testing.assert_close(found, h[0], rtol=0, atol=1e-5)


@kinds
def test_every_cutting_gives_the_same_bits(kind: str) -> None:
    module, features = trained(**KINDS[kind]), features_of(61)
    whole = streamed(module, features, [])
    assert torch.equal(streamed(module, features, list(range(1, 61))), whole)
    for seed in range(20):
        assert torch.equal(streamed(module, features, random_cuts(61, seed)), whole)


def test_the_paper_s_sizes_have_the_same_bits_too() -> None:
    """Kernels may differ from those of small sizes."""
    torch.manual_seed(0)
    module = Encoder(channels=3, mel_bins=80, filters=32, hidden_dim=256, layers=3).eval()
    features = torch.randn(50, 3, 80)
    with torch.no_grad():
        h, _ = module(features[None], torch.tensor([50]))
    whole = streamed(module, features, [])
    torch.testing.assert_close(whole, h[0], rtol=0, atol=1e-5)
    for seed in range(5):
        assert torch.equal(streamed(module, features, random_cuts(50, seed)), whole)


@kinds
def test_an_entry_comes_with_the_last_frame_that_it_depends_on(kind: str) -> None:
    module = trained(**KINDS[kind])
    stream, given = EncoderStream(module), 0
    for frame, features in enumerate(features_of(61)):
        given += len(stream.accept(features[None]))
        assert given == max(0, (frame - module.lookahead) // 4 + 1)


def test_no_frames_give_no_entries() -> None:
    stream = EncoderStream(trained())
    assert stream.accept(torch.zeros(0, SPEC.channels, SPEC.mel_bins)).shape == (0, 6)
    assert stream.finish().shape == (0, 6)


def test_what_it_keeps_does_not_grow() -> None:
    stream = EncoderStream(trained())
    stream.accept(features_of(400))
    windows = [len(stage.window) for stage in stream._stages if hasattr(stage, "window")]
    assert windows == [1, 1, 2]


def test_an_encoder_in_training_is_refused() -> None:
    with pytest.raises(ValueError, match=r"in training: call eval\(\) first"):
        EncoderStream(encoder())
