"""Retrieval finds the question meant, matters to what is found, and is made once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from knowledge.bench import RANKINGS, covered, measure, read_queries
from knowledge.index import QuestionIndex, question_texts
from knowledge.library import read_note
from knowledge.questions import Bank, load_bank
from knowledge.vectors import NAME
from tests.knowledge.conftest import RememberingEmbedder
from tests.knowledge.making import point, question, write

QUERIES = Path(__file__).with_name("queries.yaml")


def on(bank: Bank, question_id: str, *subjects: str) -> bool:
    return bool({*subjects} & {*bank.questions[question_id].sources})


@pytest.fixture
def small(made_bank: Path) -> Bank:
    """Two questions with nothing in common."""
    write(made_bank, "autograd", question())
    write(
        made_bank,
        "loading",
        question(
            title="Feeding data in batches",
            ask="How do you read many files in parallel while the model trains?",
            keywords=["DataLoader", "workers"],
            symptoms=["the GPU idles because reading is slow"],
            points=[point(f"p{n}", says=f"Workers read batches ahead, part {n}.") for n in range(4)],
            model_answer="With worker processes.",
        ),
    )
    return load_bank(made_bank)


def test_a_trouble_in_own_words_leads_to_a_question_and_its_vectors_are_why(
    bank: Bank, embedder: RememberingEmbedder, tmp_path: Path
) -> None:
    index = QuestionIndex(bank, embedder, tmp_path)
    first = index.search("my gradients explode")[0]
    assert on(bank, first.id, "interview-questions#Q14", "interview-questions#Q3", "framework-fundamentals#4")
    index.remove(first.id)
    second = index.search("my gradients explode")[0]
    assert second.id != first.id
    assert first.id not in {hit.id for hit in index.search("my gradients explode", k=100)}


def test_realistic_queries_find_their_subject_and_hybrid_ranking_does_it_best(
    bank: Bank, index: QuestionIndex, embedder: RememberingEmbedder
) -> None:
    queries = covered(read_queries(QUERIES), bank)
    embedder.encode([query.text for query in queries])
    assert len(queries) >= 24
    hybrid = measure(index, bank, queries, "hybrid")
    assert hybrid.recall_at_5 >= 0.95, hybrid.missed
    assert hybrid.mrr >= 0.8
    for ranking in RANKINGS:
        assert hybrid.mrr >= measure(index, bank, queries, ranking).mrr - 0.01


def test_hits_carry_the_text_that_matched_and_how_near_it_is(
    small: Bank, embedder: RememberingEmbedder, tmp_path: Path
) -> None:
    index = QuestionIndex(small, embedder, tmp_path)
    hit = index.search("the GPU idles because reading is slow", k=1)[0]
    assert (hit.id, hit.kind, hit.title) == ("loading", "question", "Feeding data in batches")
    assert hit.text == "the GPU idles because reading is slow"
    (query, *texts) = embedder.encode(
        ["the GPU idles because reading is slow", *question_texts(small.questions["loading"])]
    )
    similarities = [float(query @ text) for text in texts]
    best = sorted(similarities, reverse=True)
    assert best[0] == pytest.approx(1.0, abs=1e-4)
    assert hit.score == pytest.approx(0.4 * best[0] + 0.4 * sum(best[:3]) / 3 + 0.2 * similarities[0], abs=1e-4)


def test_words_help_where_meaning_is_near(small: Bank, embedder: RememberingEmbedder, tmp_path: Path) -> None:
    index = QuestionIndex(small, embedder, tmp_path)
    assert index.search("DataLoader", k=1, ranking="bm25")[0].id == "loading"
    assert not index.built  # BM25 alone needs no vectors


def test_a_search_may_be_restricted(small: Bank, embedder: RememberingEmbedder, tmp_path: Path) -> None:
    index = QuestionIndex(small, embedder, tmp_path)
    assert [hit.id for hit in index.search("reading files", ids=["autograd"])] == ["autograd"]
    assert index.search("reading files", ids=[]) == []
    assert len(index.search("reading files", k=9)) == 2


@pytest.mark.parametrize("query", ["", "   \n"])
def test_an_empty_query_finds_nothing(query: str, index: QuestionIndex) -> None:
    assert index.search(query) == []


@pytest.mark.parametrize("query", ["ÿ\x00☃", "x" * 100_000, "?!", "<script>alert(1)</script>"])
def test_odd_queries_are_answered(query: str, index: QuestionIndex) -> None:
    assert len(index.search(query, k=2)) == 2


def test_a_job_description_is_searched_sentence_by_sentence(bank: Bank, index: QuestionIndex) -> None:
    description = """
    We are a family-owned logistics company of 400 people in Utrecht with an open culture and a canteen.
    You will join a team of twelve. We offer 27 days of leave, a pension, and a bicycle.
    Your tasks: you deploy large Transformer models for low-latency inference with TensorRT and Triton.
    You speak Dutch at level B1, hold a driving licence and like to cook together on Fridays.
    """
    if not covered([query for query in read_queries(QUERIES) if "framework-fundamentals#1" in query.subjects], bank):
        pytest.skip("the bank has no question on inference yet")
    assert on(bank, index.search(description, k=1)[0].id, "framework-fundamentals#1")


def test_notes_stand_beside_the_questions(small: Bank, embedder: RememberingEmbedder, tmp_path: Path) -> None:
    notes = read_note("# Sofas\n\nCats sleep on sofas.\n", "sofas")
    index = QuestionIndex(small, embedder, tmp_path, notes)
    assert [hit.kind for hit in index.search("where do cats sleep", k=3)] == ["question", "question"]
    assert index.search("where do cats sleep", k=1, kind=None)[0].id == notes[0].id
    assert index.search("where do cats sleep", kind="note")[0].title == "Sofas"


def test_the_index_is_built_once_and_kept(small: Bank, embedder: RememberingEmbedder, tmp_path: Path) -> None:
    folder = tmp_path / "index"
    first = QuestionIndex(small, embedder, folder)
    assert not folder.exists()
    before = first.search("workers")
    assert first.built
    second = QuestionIndex(small, embedder, folder)
    assert second.search("workers") == before
    assert not second.built


def test_a_changed_question_is_embedded_anew(made_bank: Path, embedder: RememberingEmbedder, tmp_path: Path) -> None:
    write(made_bank, "autograd", question())
    folder = tmp_path / "index"
    QuestionIndex(load_bank(made_bank), embedder, folder).prepare()
    (made_bank / "pytorch/autograd/answers.yaml").write_text("[]\n")
    same = QuestionIndex(load_bank(made_bank), embedder, folder)
    same.prepare()
    assert not same.built  # what is not searched makes nothing stale
    write(made_bank, "other", question(title="Another one"))
    changed = QuestionIndex(load_bank(made_bank), embedder, folder)
    changed.prepare()
    assert changed.built


@pytest.mark.parametrize(
    "damage",
    [lambda path: path.write_bytes(path.read_bytes()[:-20]), lambda path: path.write_text("{}"), Path.unlink],
)
def test_a_damaged_index_is_rebuilt(
    damage: Callable[[Path], object], small: Bank, embedder: RememberingEmbedder, tmp_path: Path
) -> None:
    first = QuestionIndex(small, embedder, tmp_path)
    expected = first.search("workers")
    damage(tmp_path / NAME)
    second = QuestionIndex(small, embedder, tmp_path)
    assert second.search("workers") == expected
    assert second.built
    third = QuestionIndex(small, embedder, tmp_path)
    third.prepare()
    assert not third.built


def test_without_a_place_to_write_it_lives_in_memory_and_says_so(
    small: Bank, embedder: RememberingEmbedder, tmp_path: Path
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    index = QuestionIndex(small, embedder, blocked)
    assert index.search("workers")
    assert str(blocked) in index.notice


def test_an_empty_bank_finds_nothing(made_bank: Path, embedder: RememberingEmbedder, tmp_path: Path) -> None:
    assert QuestionIndex(load_bank(made_bank), embedder, tmp_path).search("anything") == []
