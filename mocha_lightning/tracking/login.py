"""Whether anybody is logged in to W&B."""

import os

from mocha_lightning.errors import UserError, in_a_line


def is_logged_in() -> bool:
    """Whether W&B knows a key; it asks nobody for one.

    Who asks is about to speak with W&B, whatever WANDB_MODE says of how runs begin: from now on
    the variable says nothing here, nor to processes that are begun from here.

    Raises:
        UserError: it cannot even begin, as by a variable or a settings file of its own that has a
            value it does not take.
    """
    import wandb

    os.environ.pop("WANDB_MODE", None)
    try:
        return bool(wandb.login(prompt=False, verify=False))
    # Whatever it makes of what it finds: its own errors, pydantic's, and those of its files.
    except Exception as error:
        raise UserError(
            f"W&B cannot begin ({in_a_line(error)}): mend its variables (WANDB_...) or settings"
        ) from error
