"""Folders that hostile code wrote in are counted and removed whatever they hold."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sandbox.tidy import count_files, remove_tree


def deep(folder: Path, depth: int) -> None:
    """A chain of folders far deeper than a path may be long."""
    here = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d", dir_fd=here)
        inner = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)


def test_a_deep_tree_is_removed(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    deep(folder, 3000)
    (folder / "file").write_text("x")
    (folder / "link").symlink_to("/")
    remove_tree(str(folder))
    assert not folder.exists()
    assert Path("/").is_dir()
    remove_tree(str(folder))


def test_a_link_in_the_place_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "file").write_text("x")
    (tmp_path / "work").symlink_to(tmp_path / "precious")
    remove_tree(str(tmp_path / "work"))
    assert (tmp_path / "precious" / "file").read_text() == "x"


def test_counting_stops_at_the_limit(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / str(number)).write_bytes(bytes(8192))
    entries, size = count_files(str(tmp_path), 100)
    assert entries == 20
    assert size >= 20 * 8192
    assert count_files(str(tmp_path), 5)[0] == 6
    deep(tmp_path, 2500)
    assert count_files(str(tmp_path), 100_000)[0] == 100_001
    remove_tree(str(tmp_path / "d"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_folder_that_cannot_be_read_is_over_the_limit(tmp_path: Path) -> None:
    (tmp_path / "hidden").mkdir(0o300)
    assert count_files(str(tmp_path), 100)[0] == 101
