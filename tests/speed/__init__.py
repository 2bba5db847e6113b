"""The speed benchmark: its loops against the paper's equations, its order, its report."""
