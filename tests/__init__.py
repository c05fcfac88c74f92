"""Tests of Viva, one folder a part."""
