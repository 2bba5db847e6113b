"""Log-mel features with their first and second differences in time (Appendix A.1)."""

from dataclasses import dataclass

import kaldi_native_fbank as knf
import numpy as np
from jaxtyping import Float32
from numpy import ndarray

from mocha_lightning.errors import UserError

WINDOW_SECONDS = 0.025
SHIFT_MILLISECONDS = 10
"""From one frame to the next."""
DELTA_WINDOW = 2
"""Frames to each side that a difference is fitted over (the paper names none; Kaldi's number)."""
BLOCK = 1 << 18
"""Samples that the filter bank is given at a time; how they are cut changes nothing."""


@dataclass(frozen=True)
class LogMel:
    """Log-mel filter-bank energies: 25 ms windows every 10 ms, by kaldi-native-fbank.

    Samples stay in [-1, 1], so that the floor under the logarithm lies at the level of the last
    bit of 16-bit audio and digital silence is no outlier. No dither: the same samples give the
    same features.

    Args:
        sample_rate: samples a second of the audio, in Hz.
        mel_bins: filters, from 20 Hz to half the sample rate.
        deltas: whether the differences are added as channels.
    """

    sample_rate: int = 16000
    mel_bins: int = 80
    deltas: bool = True

    def __post_init__(self) -> None:
        if not 4000 <= self.sample_rate <= 48000:
            raise UserError(
                f"data.sample_rate is {self.sample_rate}: it must be between 4000 and 48000 Hz"
            )
        try:
            self.bank()
        except ValueError as error:
            raise UserError(
                f"data.mel_bins is {self.mel_bins}: at {self.sample_rate} Hz that is not possible "
                f"({str(error).rstrip('.')}): 40 or 80 are usual"
            ) from error

    def bank(self) -> knf.OnlineFbank:
        """The filter bank, to be fed with audio."""
        options = knf.FbankOptions()
        options.frame_opts.samp_freq = self.sample_rate
        options.frame_opts.dither = 0
        options.frame_opts.frame_length_ms = 1000 * WINDOW_SECONDS
        options.frame_opts.frame_shift_ms = SHIFT_MILLISECONDS
        options.mel_opts.num_bins = self.mel_bins
        return knf.OnlineFbank(options)

    @property
    def channels(self) -> int:
        """1, or 3 with differences: the energies, their slope, the slope of the slope."""
        return 3 if self.deltas else 1

    @property
    def lookahead(self) -> int:
        """Frames after its own that a frame depends on: the slope's, and the slope's of those."""
        return 2 * DELTA_WINDOW if self.deltas else 0

    def extract(
        self, samples: Float32[ndarray, " samples"], sample_rate: int
    ) -> Float32[ndarray, "frames channels mel"]:
        """Features of one utterance.

        Raises:
            UserError: the sample rate is another, or the audio is shorter than one window.
        """
        if sample_rate != self.sample_rate:
            raise UserError(
                f"audio has {sample_rate} Hz and the features are set to {self.sample_rate} Hz: "
                "resample it or change sample_rate"
            )
        return self.add_deltas(self.energies(samples))

    def energies(self, samples: Float32[ndarray, " samples"]) -> Float32[ndarray, "frames mel"]:
        """Log-mel energies of audio at this sample rate, without differences.

        Raises:
            UserError: the audio is shorter than one window.
        """
        check_long_enough(len(samples), self.sample_rate)
        bank = self.bank()
        frames: list[Float32[ndarray, " mel"]] = []
        for begin in range(0, len(samples), BLOCK):
            # A list crosses into C++ twice as fast as an array does, and is eight times as large.
            bank.accept_waveform(self.sample_rate, samples[begin : begin + BLOCK].tolist())
            frames += drain(bank, len(frames))
        bank.input_finished()
        frames += drain(bank, len(frames))
        return np.stack(frames).astype(np.float32, copy=False)

    def add_deltas(
        self, energies: Float32[ndarray, "frames mel"]
    ) -> Float32[ndarray, "frames channels mel"]:
        """The energies as first channel, then (if asked) their first and second differences."""
        if not self.deltas:
            return energies[:, None]
        options = knf.DeltaOptions(order=2, window=DELTA_WINDOW)
        all_channels: Float32[ndarray, "frames features"] = knf.compute_deltas(options, energies)
        return all_channels.reshape(len(energies), self.channels, self.mel_bins)


def check_long_enough(samples: int, sample_rate: int) -> None:
    """Check that so many samples make a frame.

    Raises:
        UserError: they are fewer than one window has.
    """
    if samples < WINDOW_SECONDS * sample_rate:
        raise UserError(
            f"audio of {samples} samples at {sample_rate} Hz is shorter than one "
            f"window of {WINDOW_SECONDS * 1000:.0f} ms: remove it"
        )


def drain(bank: knf.OnlineFbank, first: int) -> list[Float32[ndarray, " mel"]]:
    """The frames of a filter bank that are ready from ``first`` on, which it then forgets."""
    # Copied: what the bank gives is a view of what it forgets.
    frames = [bank.get_frame(frame).copy() for frame in range(first, bank.num_frames_ready)]
    bank.pop(len(frames))
    return frames
