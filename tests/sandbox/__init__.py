"""Tests of the sandbox: one property each, most of them attacks."""
