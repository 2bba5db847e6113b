"""The paper's speed benchmark (Appendix B): attention alone, in compiled code, on one thread."""
