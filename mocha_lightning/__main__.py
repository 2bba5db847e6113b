"""``python -m mocha_lightning``: the same as the command ``mocha-lightning``."""

from mocha_lightning.cli import main

if __name__ == "__main__":
    main()
