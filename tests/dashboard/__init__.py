"""Tests of dashboards."""
