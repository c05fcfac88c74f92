"""Tests of the bank, its index, the choice of questions and what proves the bank."""
