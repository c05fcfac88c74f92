"""A candidate's own documents in the session machine: what an upload adds, what is dropped, which draft is asked next.

Pure, as the rest of the machine. Drafts live in the session's log and go with it; nothing here knows the bank.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from domain import Mode, Phase, Question, Session
from interview.events import Dropped, Uploaded
from interview.steps import notice, require

MOST_DRAFTS = 120  # of one session
MOST_PASSAGES = 300
MOST_DOCUMENTS = 12
BEGUN = "This interview has begun: documents come before it. Start a new one to bring them."
NO_DRAFTS = "There is no question of your documents to ask. Upload one first, or keep some of its questions."
UNREVIEWED = (
    "The questions and rubrics come from your own documents and nobody has reviewed them: a verdict says whether you "
    "said what the document says, and not whether that is true."
)


def uploaded(session: Session, event: Uploaded) -> Session:
    """The session with a document's drafts and passages. What it had from a document of that name is replaced."""
    require(session.phase is Phase.SETUP, BEGUN)
    require(all(is_draft(item) for item in event.drafts), "Drafts are data only: one of these comes with a check.")
    ids = {item.id for item in event.drafts}
    drafts = [item for item in session.drafts if item.draft != event.document and item.id not in ids]
    passages = [item for item in session.passages if item.document != event.document]
    documents = {item.draft for item in drafts} | {item.document for item in passages} | {event.document}
    require(len(documents) <= MOST_DOCUMENTS, f"An interview takes at most {MOST_DOCUMENTS} documents.")
    drafts += event.drafts
    passages += event.passages
    require(
        len(drafts) <= MOST_DRAFTS and len(passages) <= MOST_PASSAGES,
        f"An interview takes at most {MOST_DRAFTS} questions and {MOST_PASSAGES} passages of your own.",
    )
    for text in event.notices:
        session = notice(session, f"{event.document}: {text}")
    return replace(session, drafts=tuple(drafts), passages=tuple(passages))


def dropped(session: Session, event: Dropped) -> Session:
    """The session without these drafts, and without the passages of documents dropped whole."""
    require(session.phase is Phase.SETUP, BEGUN)
    drafts = tuple(item for item in session.drafts if item.id not in event.ids)
    passages = tuple(item for item in session.passages if item.document not in event.documents)
    drafts = tuple(item for item in drafts if item.draft not in event.documents)
    return replace(session, drafts=drafts, passages=passages)


def is_draft(question: Question) -> bool:
    """Whether a question is a draft that may be asked: data only, under an id that no question of the bank has."""
    return bool(question.draft) and not question.check and question.id.startswith("draft_")


def planned(session: Session) -> Session:
    """Where the plan asks for drafts: they must be there, and what they are is said."""
    if not session.plan.drafts:
        return session
    require(bool(session.drafts), NO_DRAFTS)
    require(session.plan.mode is Mode.PRACTICE, "Your own documents are for practice: choose practice, not an exam.")
    return notice(session, UNREVIEWED)


def next_draft(session: Session, draw: float) -> tuple[Question, str] | None:
    """A draft not asked before and why it was chosen, or None. Popular ones come more often; `draw` is in [0, 1)."""
    asked = {result.question.id for result in session.results}
    left = [item for item in session.drafts if item.id not in asked]
    if not left:
        return None
    chosen = left[_fall([item.popularity or 30 for item in left], draw)]
    return chosen, f"I chose this question because it stands in your document {chosen.draft}."


def _fall(weights: Sequence[int], draw: float) -> int:
    mark = draw * sum(weights)
    for number, weight in enumerate(weights):
        mark -= weight
        if mark < 0:
            return number
    return len(weights) - 1
