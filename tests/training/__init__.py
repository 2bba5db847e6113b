"""Losses and schedules."""
