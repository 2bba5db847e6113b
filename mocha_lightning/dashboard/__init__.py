"""Dashboards as code: an experiment's page at Weights & Biases, from what its runs logged there.

Nothing here imports torch, nor ``wandb_workspaces`` before a dashboard is built: it is an extra.
"""
