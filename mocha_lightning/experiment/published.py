"""Figures of a publication in an experiment file."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class Published(BaseModel):
    """Figures of a publication, which a report sets beside its own and never mixes with them.

    Attributes:
        source: where they stand.
        data: what they were measured on.
        rows: by what the publication calls a mechanism, its figures by the name of their column.
    """

    model_config = ConfigDict(strict=True, extra="forbid")

    source: str
    data: str
    rows: Annotated[dict[str, dict[str, int | float]], Field(min_length=1)]
