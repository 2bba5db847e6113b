"""The line that a page ends with: how it was made, and by which code."""

from mocha_lightning.experiment.commit import git_state, versions
from mocha_lightning.report.formats import COMMIT_DIGITS


def reproduce(command: str) -> str:
    """Say what makes a page again.

    Args:
        command: what was typed.

    Returns:
        The command, the commit of the code that runs now, whether anything was changed beside it,
        and versions.
    """
    code = git_state()
    commit = "commit unknown"
    if code["commit"] is not None:
        changes = "with" if code["dirty"] else "without"
        commit = f"commit {code['commit'][:COMMIT_DIGITS]} {changes} uncommitted changes"
    numbers = ", ".join(f"{name} {number}" for name, number in versions().items())
    return f"Reproduce: {command} ({commit}; {numbers})"
