"""The packaged bank proves itself: every submission is run in the real sandbox."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from knowledge.bench import read_queries
from knowledge.questions import Bank
from knowledge.rules import subjects
from knowledge.verify import Verification, verify
from sandbox.backend import Sandbox
from sandbox.plan import Limits
from tests.knowledge.conftest import RememberingEmbedder

pytestmark = pytest.mark.timeout(1500)  # hundreds of runs, on a machine that may be busy
RULES_OF_RUNS = {"sandbox", "right passes", "wrong fails", "caught by", "cases"}


@pytest.fixture(scope="module")
def proof(bank: Bank, embedder: RememberingEmbedder) -> Verification:
    seed = time.time_ns() % 2**31  # new at each run; a finding names it, and `verify --first-seed` replays it
    sandbox = Sandbox(limits=Limits(seconds=60.0))  # right code may take its time on a busy machine
    try:
        return verify(bank, sandbox, embedder, seeds=[seed], jobs=os.cpu_count() or 1)
    finally:
        sandbox.close()


def test_right_submissions_pass_and_wrong_ones_fail_where_they_say(bank: Bank, proof: Verification) -> None:
    assert len(proof.runs) >= 8 * sum(bool(question.check) for question in bank.questions.values())
    assert [finding for finding in proof.faults if finding.rule in RULES_OF_RUNS] == []


def test_files_and_wording_keep_the_rules(proof: Verification) -> None:
    assert [finding for finding in proof.faults if finding.rule not in RULES_OF_RUNS] == []


def test_queries_name_known_subjects() -> None:
    queries = read_queries(Path(__file__).with_name("queries.yaml"))
    assert len(queries) >= 120
    assert len({query.text for query in queries}) == len(queries)
    named = {subject for query in queries for subject in query.subjects}
    assert named == set(subjects())


def test_each_subject_is_in_the_seed_documents() -> None:
    """The two source documents hold the 5 and 16 subjects that the bank's `sources` count."""
    seeds = Path(__file__).parents[2].parent / "shared" / "seeds"
    if not seeds.is_dir():
        pytest.skip("the source documents (../shared/seeds) are not here")
    texts = [path.read_text(encoding="utf-8") for path in sorted(seeds.glob("*.txt"))]
    assert sum(text.count("practiced\n") for text in texts) == sum(name.startswith("framework") for name in subjects())
    numbered = sum(line.startswith("Q") and ": " in line[:5] for text in texts for line in text.splitlines())
    assert numbered == sum(name.startswith("interview") for name in subjects())
