"""A real browser for the report's tests."""

from __future__ import annotations
