"""Tests of transcription."""
