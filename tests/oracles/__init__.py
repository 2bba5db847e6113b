"""Each equation of the paper as a slow loop in float64: what the fast code is held against."""
