"""Files of tensors and plain values, written and read so that reading them executes nothing.

A pickle can name any function for its reader to call. PyTorch's reader calls none with
``weights_only``; so whatever goes into a file must be of the kinds that it knows.
"""

import os
import pickle
import re
import stat
import warnings
import zipfile
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from mocha_lightning.errors import UserError

PLAIN = (bool, int, float, str, type(None), torch.dtype, torch.device, torch.Size)


def save(content: dict[str, Any], path: Path) -> None:
    """Write it.

    Raises:
        UserError: something in it could only be read by executing what the file says.
        OSError: the file cannot be written, since the disk is full, say.
    """
    for place, value in _leaves(content):
        if type(value) not in PLAIN and not isinstance(value, Tensor):
            kind = f"{type(value).__module__}.{type(value).__qualname__}"
            raise UserError(
                f"a checkpoint would hold a {kind} at {place}, and only tensors and plain values "
                "are read back, since anything else could execute code: let the state_dict that it "
                "comes from hold numbers, strings, tensors, and lists and dictionaries of them"
            )
    # A file that is opened here says what is wrong with the disk; one that PyTorch opens does not.
    with path.open("wb") as file:
        try:
            torch.save(content, file)
        except RuntimeError as error:  # what PyTorch makes of that
            if isinstance(error.__context__, OSError):
                raise error.__context__ from None
            raise


def load(path: Path, remedy: str | None = None) -> dict[str, Any]:
    """Read it. Nothing in the file is executed.

    Args:
        path: of the file.
        remedy: what to do about one that cannot be read; None for a run's that would go on.

    Raises:
        UserError: it is not there, empty, damaged, no such file, or has more than tensors and
            plain values.
    """
    remedy = remedy or f"remove {path.parent} to have that run begun anew"
    try:
        status = path.stat()
        readable = os.access(path, os.R_OK)
    except OSError as error:
        raise UserError(f"{path}: cannot be opened ({error.strerror}): {remedy}") from error
    # To open a pipe would wait for whoever writes into it.
    if not stat.S_ISREG(status.st_mode) or not readable:
        raise UserError(f"{path}: is no file that can be read: {remedy}")
    if status.st_size == 0:
        raise UserError(f"{path}: is empty (0 bytes): {remedy}")
    try:
        _check_sums(path)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of pickles that are no checkpoint
            content: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # whatever a file that is none makes of the reader
        raise UserError(f"{path}: {_problem(error)}: {remedy}") from error
    weights = content.get("state_dict") if isinstance(content, dict) else None
    if not isinstance(weights, dict) or not all(isinstance(name, str) for name in weights):
        raise UserError(f"{path}: is no checkpoint, which holds weights by name: {remedy}")
    return content


def _check_sums(path: Path) -> None:
    """Check what the archive says of each of its parts, which PyTorch's reader does not.

    Raises:
        zipfile.BadZipFile: a part is not what was written; or one is compressed, which PyTorch
            writes none, and could be of any size unpacked.
    """
    if not zipfile.is_zipfile(path):
        return  # a reader will say what is wrong with it
    with zipfile.ZipFile(path) as archive:
        if any(part.compress_type != zipfile.ZIP_STORED for part in archive.infolist()):
            raise zipfile.BadZipFile("compressed")
        if (part := archive.testzip()) is not None:
            raise zipfile.BadZipFile(part)


def _problem(error: Exception) -> str:
    named = re.search(r"(?:GLOBAL|global) `?([\w.]+)", str(error))
    if isinstance(error, pickle.UnpicklingError) and named:
        return (
            f"would have {named[1]} executed if it were read in full, so it was not read (a "
            "checkpoint holds tensors and plain values alone)"
        )
    return f"is damaged or no checkpoint ({type(error).__name__})"


def _leaves(node: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """All values within dictionaries, lists and tuples, and where they are."""
    if type(node) in (dict, OrderedDict):
        for key, value in node.items():
            yield from _leaves(key, f"a key of {place or 'it'}")
            yield from _leaves(value, f"{place}.{key}".lstrip("."))
    elif type(node) in (list, tuple):
        for number, value in enumerate(node):
            yield from _leaves(value, f"{place}[{number}]")
    else:
        yield place, node
