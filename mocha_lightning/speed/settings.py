"""What of the benchmark can be changed; the defaults are the paper's (Appendix B)."""

from collections import Counter
from dataclasses import dataclass

from mocha_lightning.errors import UserError

PAPER_LENGTHS = tuple(range(10, 101, 10))
LENGTHS = (*PAPER_LENGTHS, 200, 500, 1000)
CHUNK_SIZES = (1, 2, 4, 8)
TRIALS = 100
DIM = 256
SEED = 0

MOST = 10**15


@dataclass(frozen=True, kw_only=True)
class Settings:
    """One measurement.

    Args:
        lengths: each T, which is U as well.
        chunk_sizes: each w; 1 is hard monotonic attention.
        trials: repetitions of each time.
        memory_dim: dim(h_j).
        query_dim: dim(s_i).
        energy_dim: d.
        seed: of the random states and weights.

    Raises:
        UserError: a length or a chunk size that is there twice; a size beyond what could ever fit.
    """

    lengths: tuple[int, ...] = LENGTHS
    chunk_sizes: tuple[int, ...] = CHUNK_SIZES
    trials: int = TRIALS
    memory_dim: int = DIM
    query_dim: int = DIM
    energy_dim: int = DIM
    seed: int = SEED

    def __post_init__(self) -> None:
        for option, values in (("--lengths", self.lengths), ("--chunk-sizes", self.chunk_sizes)):
            value, times = Counter(values).most_common(1)[0]
            if times > 1:
                raise UserError(f"{option}: {value} is there twice")
        dims = (self.memory_dim, self.query_dim, self.energy_dim)
        for size in (*self.lengths, *self.chunk_sizes, *dims):
            if size > MOST:
                raise UserError(f"sizes can be at most {MOST:,}, not {size:,}")
