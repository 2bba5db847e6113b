"""Experiments: from a YAML file to one result file for each variant and seed."""
