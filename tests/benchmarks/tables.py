"""Reading the table that a benchmark prints."""


def read_table(printed: str) -> list[dict[str, str]]:
    """Its rows, by column."""
    lines = [line for line in printed.splitlines() if line.startswith("|")]
    head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [dict(zip(head, row, strict=True)) for row in rows]


def number(cell: str) -> float:
    """A cell's number, which has a comma from a thousand on."""
    return float(cell.replace(",", ""))
