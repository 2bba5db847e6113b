"""The page of the schematic figures."""

PAGE = "schematic.md"


def schematic_page(origin: str) -> str:
    """Show both figures and say what they are.

    Args:
        origin: the line that says how they were made.
    """
    parts = (
        "# What attention looks at",
        "![Soft, hard monotonic and chunkwise attention](figures/schematic.png)",
        "The paper's Figure 1, not redrawn: what the mechanisms' own hard decoding of a small "
        "random memory inspects and attends to. Rows are outputs, columns the memory's entries.",
        "![MAtChA](figures/matcha.png)",
        "The same of MAtChA (Appendix C), whose chunks reach from the last stop to this one.",
        "Both are there for print too: `figures/schematic.pdf`, `figures/matcha.pdf`.",
        origin,
    )
    return "\n\n".join(parts) + "\n"
