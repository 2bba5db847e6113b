"""What a command can say of where its runs are done."""

from collections.abc import Sequence

OPTIONS = {
    "address": ("ray",),
    "gather": ("ray",),
    "cpus_per_run": ("ray", "slurm"),
    "gpus_per_run": ("ray", "slurm"),
    "cluster": ("slurm",),
    "partition": ("slurm",),
    "time_limit": ("slurm",),
}
"""Which executors each option is for."""
MINUTES = 240
"""Of a job, where the command does not say."""
NO_SLURM = (
    "--executor slurm: there is no SLURM on this machine (no srun): give the command where jobs "
    "are submitted from"
)


def flag(option: str) -> str:
    """An option as it is typed."""
    return f"--{option.replace('_', '-')}"


def chosen(words: Sequence[str]) -> list[str]:
    """Those words of a command that say where its runs are done."""
    flags = {"--executor", *map(flag, OPTIONS)}
    found: list[str] = []
    for number, word in enumerate(words):
        if word in flags:
            found += words[number : number + 2]
        elif word.partition("=")[0] in flags:
            found.append(word)
    return found
