"""The optional profile: what somebody was asked and missed over several interviews, under a private link.

The link's secret has 128 random bits and is stored only as its SHA-256, so that nobody who reads the file can open a
profile; a name is just a label. Missed points come back by a spaced-repetition schedule (FSRS). Everything of a profile
is exported as one file, and deleted in one step together with its interviews.

It lives in tables of its own in the interviews' SQLite file. What an interview showed is taken over when it has ended,
once: `settle` may be called as often as one likes, so that a crash between the two loses nothing.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from domain import Ability, EarlierScore, Level, Mode, Phase, Plan, PointReference, Session, UserError
from interview.review import missed_again, reviewed
from interview.store import explained
from knowledge.ability import PRIOR, carried, estimate

FORMAT = "viva-profile"
MOST_DUE = 60
_SECRET = re.compile(r"[0-9a-f]{32}")
_UNKNOWN = "There is no profile under this link: it was deleted, or the link is not complete."
_TABLES = """
CREATE TABLE IF NOT EXISTS profiles (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, created REAL NOT NULL, used REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS profile_sessions (
    session TEXT PRIMARY KEY, profile TEXT NOT NULL, at REAL NOT NULL, summary TEXT
);
CREATE TABLE IF NOT EXISTS profile_points (
    profile TEXT NOT NULL, question TEXT NOT NULL, point TEXT NOT NULL, card TEXT NOT NULL, due REAL NOT NULL,
    missed INTEGER NOT NULL, PRIMARY KEY (profile, question, point)
);
"""


class UnknownProfileError(UserError):
    """The secret is nobody's: not one at all, or of a profile that was deleted."""


@dataclass(frozen=True)
class TopicPart:
    """What one interview showed of one topic, in points."""

    topic: str
    earned: float
    worth: float


@dataclass(frozen=True)
class PastInterview:
    """An interview that has ended. `share` is the headline, None where too little was graded; `questions` are
    (id, level, share) of those that were scored."""

    session_id: str
    at: float
    mode: str
    earned: float
    worth: float
    share: float | None
    topics: tuple[TopicPart, ...]
    questions: tuple[tuple[str, str, float | None], ...]


@dataclass(frozen=True)
class MissedPoint:
    """A point that was missed: when it is due again (seconds since the epoch) and how often it was missed."""

    question_id: str
    point_id: str
    due: float
    missed: int


@dataclass(frozen=True)
class Profile:
    """All that is known: interviews oldest first, points most urgent first, and the ability they show together."""

    name: str
    created: float
    interviews: tuple[PastInterview, ...]
    points: tuple[MissedPoint, ...]
    ability: Ability

    def progress(self, topic: str = "") -> list[tuple[float, float]]:
        """(time, share of the points) of each interview, of one topic or of all: what a chart over time shows."""
        rows = []
        for item in self.interviews:
            parts = [part for part in item.topics if topic in ("", part.topic)]
            worth = sum(part.worth for part in parts)
            if worth > 0:
                rows.append((item.at, sum(part.earned for part in parts) / worth))
        return rows


class Profiles:
    """Keeps profiles. Safe to use from several threads. Every method that takes a secret raises UserError for one that
    is nobody's, and when the file cannot be read or written."""

    def __init__(self, path: Path | str, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._path = Path(path)
        self._lock = threading.Lock()
        with explained(self._path, "opened"):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(self._path, timeout=5, check_same_thread=False, isolation_level=None)
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.executescript(_TABLES)

    def create(self, name: str = "") -> str:
        """A new profile; its secret, which is told this once."""
        secret, now = secrets.token_hex(16), self._clock()
        with self._writing() as run:
            run("INSERT INTO profiles VALUES (?, ?, ?, ?)", (_hashed(secret), name.strip()[:60], now, now))
        return secret

    def link(self, secret: str, session_id: str) -> None:
        """Let a session belong to the profile. One that belongs to a profile already stays there."""
        profile = self._known(secret)
        with self._writing() as run:
            run("INSERT OR IGNORE INTO profile_sessions VALUES (?, ?, ?, NULL)", (session_id, profile, self._clock()))

    def unlink(self, session_id: str) -> None:
        """Forget what one interview showed (its points stay scheduled)."""
        with self._writing() as run:
            run("DELETE FROM profile_sessions WHERE session = ?", (session_id,))

    def settle(self, session: Session) -> None:
        """Take over what an interview showed, if it has ended, belongs to a profile and was not taken over yet."""
        if session.phase is not Phase.ENDED:
            return
        with self._writing() as run:
            row = run(
                "SELECT profile FROM profile_sessions WHERE session = ? AND summary IS NULL", (session.id,)
            ).fetchone()
            if row is None:
                return
            at = session.ended_at or self._clock()
            run(
                "UPDATE profile_sessions SET at = ?, summary = ? WHERE session = ?",
                (at, json.dumps(_summary(session)), session.id),
            )
            for result in session.results:
                for item in result.scores:
                    place = (row[0], result.question.id, item.point_id)
                    where = "WHERE profile = ? AND question = ? AND point = ?"
                    known = run(f"SELECT card, missed FROM profile_points {where}", place).fetchone()  # noqa: S608
                    if result.question.point(item.point_id).worth <= 0:
                        continue
                    if card := reviewed(known[0] if known else "", item, datetime.fromtimestamp(at, UTC)):
                        missed = (known[1] if known else 0) + missed_again(item)
                        run(
                            "INSERT OR REPLACE INTO profile_points VALUES (?, ?, ?, ?, ?, ?)",
                            (*place, card.text, card.due, missed),
                        )

    def read(self, secret: str) -> Profile:
        """The profile."""
        profile = self._known(secret)
        with self._lock, explained(self._path, "read"):
            run = self._connection.execute
            name, created = run("SELECT name, created FROM profiles WHERE id = ?", (profile,)).fetchone()
            rows = run(
                "SELECT session, at, summary FROM profile_sessions WHERE profile = ? AND summary IS NOT NULL"
                " ORDER BY at",
                (profile,),
            ).fetchall()
            points = run(
                "SELECT question, point, due, missed FROM profile_points WHERE profile = ?"
                " ORDER BY due, question, point",
                (profile,),
            ).fetchall()
        interviews = tuple(_interview(*row) for row in rows)
        return Profile(name, created, interviews, tuple(MissedPoint(*row) for row in points), _ability(interviews))

    def earlier(self, session_id: str) -> tuple[EarlierScore, ...]:
        """The headlines of the interviews that the session's profile held before it, oldest first; drills are left out,
        and so is what had none. Nothing where the session belongs to no profile."""
        with self._lock, explained(self._path, "read"):
            query = (
                "SELECT other.at, other.summary FROM profile_sessions own JOIN profile_sessions other"
                " ON other.profile = own.profile AND other.session != own.session AND other.at < own.at"
                " WHERE own.session = ? AND other.summary IS NOT NULL ORDER BY other.at"
            )
            rows = self._connection.execute(query, (session_id,)).fetchall()
        found = [(at, json.loads(summary)) for at, summary in rows]
        return tuple(
            EarlierScore(at, item["share"])
            for at, item in found
            if item["share"] is not None and item["mode"] != Mode.DRILL
        )

    def sessions(self, secret: str) -> list[str]:
        """The ids of all its interviews, also of those that have not ended."""
        with self._lock, explained(self._path, "read"):
            query = "SELECT session FROM profile_sessions WHERE profile = ? ORDER BY at"
            return [row[0] for row in self._connection.execute(query, (self._checked(secret),))]

    def planned(self, secret: str, plan: Plan) -> Plan:
        """The plan with what the profile knows: points that are due (for a drill all missed ones, the due ones first),
        what was asked before, and the ability shown."""
        known, now = self.read(secret), self._clock()
        points = [item for item in known.points if plan.mode is Mode.DRILL or item.due <= now]
        if plan.mode is Mode.DRILL and not points:
            raise UserError("There is nothing to drill: no point was missed in the interviews of this profile.")
        asked = dict.fromkeys(question for item in known.interviews for question, _, _ in item.questions)
        return replace(
            plan,
            due=tuple(PointReference(item.question_id, item.point_id) for item in points[:MOST_DUE]),
            known=tuple(asked),
            ability=carried(known.ability) if known.interviews else None,
        )

    def export(self, secret: str, session_of: Callable[[str], bytes]) -> bytes:
        """Everything as one JSON file. `session_of` gives an interview as JSON; one that is gone is left out."""
        known = self.read(secret)
        logs = []
        for session_id in self.sessions(secret):
            try:
                logs.append(json.loads(session_of(session_id)))
            except UserError:
                continue
        content = {
            "format": FORMAT,
            "version": 1,
            "name": known.name,
            "created": known.created,
            "ability": [known.ability.mean, known.ability.deviation],
            "interviews": [{"at": item.at, "mode": item.mode, "share": item.share} for item in known.interviews],
            "points": [vars(item) for item in known.points],
            "logs": logs,
        }
        return json.dumps(content, ensure_ascii=False, indent=1).encode()

    def delete(self, secret: str, forget: Callable[[str], None]) -> None:
        """Delete everything: each of its interviews through `forget`, then the profile."""
        profile = self._known(secret)
        for session_id in self.sessions(secret):
            forget(session_id)
        with self._writing() as run:
            for table, column in (("profile_points", "profile"), ("profile_sessions", "profile"), ("profiles", "id")):
                run(f"DELETE FROM {table} WHERE {column} = ?", (profile,))  # noqa: S608 (names of ours)

    def purge(self, older_than: float) -> None:
        """Honour the retention: interviews that ended before this moment, and profiles not used since."""
        with self._writing() as run:
            run("DELETE FROM profile_sessions WHERE at < ?", (older_than,))
            gone = "(SELECT id FROM profiles WHERE used < ?)"
            for table in ("profile_points", "profile_sessions"):
                run(f"DELETE FROM {table} WHERE profile IN {gone}", (older_than,))  # noqa: S608
            run("DELETE FROM profiles WHERE used < ?", (older_than,))

    def _known(self, secret: str) -> str:
        """The profile's key; it counts as used now."""
        profile = self._checked(secret)
        with self._writing() as run:
            if run("UPDATE profiles SET used = ? WHERE id = ?", (self._clock(), profile)).rowcount != 1:
                raise UnknownProfileError(_UNKNOWN)
        return profile

    def _checked(self, secret: str) -> str:
        if not _SECRET.fullmatch(secret):
            raise UnknownProfileError(_UNKNOWN)
        return _hashed(secret)

    @contextmanager
    def _writing(self) -> Iterator[Callable[..., sqlite3.Cursor]]:
        """One transaction: all of it, or nothing."""
        with self._lock, explained(self._path, "written"):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection.execute
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")


def _hashed(secret: str) -> str:
    # A plain hash is enough: 128 random bits cannot be guessed, whatever the speed.
    return hashlib.sha256(secret.encode()).hexdigest()


def _summary(session: Session) -> dict[str, Any]:
    score = session.overall
    return {
        "mode": session.plan.mode.value,
        "earned": score.earned if score else 0.0,
        "worth": score.worth if score else 0.0,
        "share": score.value if score else None,
        "topics": [[item.topic, item.score.earned, item.score.worth] for item in session.topics],
        "questions": [
            [item.question.id, item.question.level.value, item.score.value if item.score else None]
            for item in session.results
        ],
    }


def _interview(session_id: str, at: float, summary: str) -> PastInterview:
    found = json.loads(summary)
    return PastInterview(
        session_id,
        at,
        found["mode"],
        found["earned"],
        found["worth"],
        found["share"],
        tuple(TopicPart(*row) for row in found["topics"]),
        tuple((str(name), str(level), share) for name, level, share in found["questions"]),
    )


def _ability(interviews: Sequence[PastInterview]) -> Ability:
    """The running estimate over all interviews, each of which makes the earlier ones count a little less."""
    ability = PRIOR
    for item in interviews:
        if item.mode == Mode.DRILL:  # a drill holds nothing but what was missed, and says little of a level
            continue
        shown = [(Level(level), share) for _, level, share in item.questions if share is not None]
        if shown:
            ability = estimate(shown, ability if ability is PRIOR else carried(ability))
    return ability
