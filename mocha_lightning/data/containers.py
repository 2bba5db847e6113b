"""Which sound files are read, and whether one is as long as it says it is.

libsndfile reads what is there of a file that is cut short and says nothing. So only formats are
taken whose files tell where they end: WAV (RF64, for what is beyond 4 GiB, is one), by the lengths
in its chunks (EBU Tech 3306 has those of RF64); Ogg, by a mark on its last page (RFC 3533); FLAC,
by the number of samples in its header, which whoever decodes it counts. SPHERE has a file of its
own.
"""

import struct
from typing import BinaryIO

FORMATS = ("WAV", "WAVEX", "RF64", "FLAC", "OGG")
"""By libsndfile's names. AIFF, AU, W64, CAF, MP3 and others are not among them."""
ELSEWHERE = 0xFFFFFFFF
"""A length of RF64 that stands in its first chunk."""
PAGE, PAGE_HEADER = b"OggS", 27
LONGEST_PAGE = PAGE_HEADER + 255 + 255 * 255
END_OF_STREAM = 4
"""The bit of a page's flags that marks the last one."""


def is_cut_short(file: BinaryIO, size: int) -> bool:
    """Whether a WAV file says that it, or its audio, is longer; or an Ogg file has no end.

    Args:
        file: at its start.
        size: of it, in bytes.
    """
    head = file.read(12)
    if head[:4] == PAGE:
        return _lacks_last_page(file, size)
    if head[:4] not in (b"RIFF", b"RIFX", b"RF64") or len(head) < 12:
        return False
    order = ">" if head[:4] == b"RIFX" else "<"
    length = struct.unpack(order + "I", head[4:8])[0]
    if head[:4] != b"RF64" and length + 8 > size:
        return True
    whole = None
    while len(chunk := file.read(8)) == 8:
        name, length = struct.unpack(order + "4sI", chunk)
        if name == b"ds64" and len(sizes := file.read(16)) == 16:
            riff, whole = struct.unpack("<QQ", sizes)
            if riff + 8 > size:
                return True
            length -= 16
        if name == b"data":
            if whole is not None and length == ELSEWHERE:
                length = whole
            return bool(file.tell() + length > size)
        file.seek(length + length % 2, 1)  # chunks begin at even places
    return False


def _lacks_last_page(file: BinaryIO, size: int) -> bool:
    """Whether the last page is not all there, or does not say that it is the last."""
    file.seek(max(0, size - LONGEST_PAGE))
    end = file.read()
    page = end[max(0, end.rfind(PAGE)) :]
    if len(page) < PAGE_HEADER or page[:4] != PAGE:
        return True
    segments = page[PAGE_HEADER : PAGE_HEADER + page[26]]
    length = PAGE_HEADER + page[26] + sum(segments)
    return len(page) < length or not page[5] & END_OF_STREAM
