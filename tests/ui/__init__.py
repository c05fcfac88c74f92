"""Tests of the page: in a real browser against a real server, and of what it shows in plain functions."""
