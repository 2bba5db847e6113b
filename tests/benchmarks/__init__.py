"""The benchmarks at tiny sizes: that they run, and that their tables say what they measured."""
