"""Tests of interview/: the conversation."""
