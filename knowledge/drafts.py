"""Draft questions with draft rubrics, made of a document's pairs of question and answer, without any model.

A point is a sentence of the answer, or a clause of a long one, and its own passage. Nothing is invented: there are no
misconceptions, so nothing can be contradicted; hints are the sentence with its telling words left out. A draft is data:
it never has a check, and what its text says to a grader is left out.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from domain import Framework, Kind, Level, Question, RubricPoint, UserError
from knowledge.pairs import Pair
from knowledge.words import sentences, stem, words

TOPIC = "your_documents"
MOST_POINTS = 8
MOST_DRAFTS = 60  # of one document
LONGEST_ASK = 2_000  # characters
LONGEST_ANSWER = 8_000
LONGEST_POINT = 400
LEAST_WORDS = 2  # content words of a point
LONG = 18  # words from which a sentence is cut at a conjunction
_PYTORCH = re.compile(r"\b(?:py ?torch|torch(?:\.\w+)*|torchvision)\b", re.I)
_TENSORFLOW = re.compile(r"\b(?:tensor ?flow|tf\.\w+|keras)\b", re.I)
_IMAGE = re.compile(r"!\[([^\]\n]{0,200})\]\([^)\n]{0,2000}\)")
_LINK = re.compile(r"\[([^\]\n]{0,200})\]\([^)\n]{0,2000}\)")
_TAG = re.compile(
    r"<(?=/?[a-z|!]|\s*/?\s*(?:answer|rubric|point|question|document|system|assistant|user|instructions?|grader|verdict)\b)|"
    r"\[(?=\s*/?\s*(?:inst|system|sys)\b)",
    re.I,
)
_MARK = re.compile(r"^(?:[-*+•]\s+|\d{1,3}[.)]\s+|#{1,6}\s+|>\s*)+")
_ABBREVIATED = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|fig|eq|approx|no|w\.r\.t)\.|\b\d{1,2}\.)$", re.I)
_CONJUNCTION = re.compile(r",\s+(?:while|whereas|but|and|so)\s+")
_LEAD_IN = re.compile(r"^(?:for example|example|e\.g|note|notes|see|code|output|here is|in your answer)\b", re.I)
_OPENER = re.compile(r"^(?:you can (?:also )?|in practice,? |typically,? |in general,? |generally,? |note that )", re.I)
_PARENTHESIS = re.compile(r"\s*\([^()]{1,200}\)")
_TELLING = re.compile(r"[A-Za-z_][\w.]*(?:[-'’][A-Za-z]\w*)*")
# What is said to whoever grades, and not about the subject.
_ADDRESSED = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,60}\b(?:instructions?|rules?|prompts?|rubric|above|previous|earlier)\b|"
    r"\b(?:mark|grade|score|rate|award|give|grant|credit|accept|treat)\b.{0,60}\b(?:full (?:marks|points|credit|score)|"
    r"maximum|every (?:point|answer)|all (?:points|answers)|as (?:met|correct|passed)|100 ?%|10/10|perfect)\b|"
    r"\b(?:dear|attention|note to|hey),? (?:the )?(?:grader|judge|examiner|interviewer|assistant|ai|llm|model)\b|"
    r"\byou are (?:now )?(?:an? )?(?:ai|assistant|language model|grader|judge|chatbot)\b|\bsystem prompt\b|"
    r"\b(?:grader|judge|examiner|llm)s? (?:must|should|shall|has to|have to|will)\b",
    re.I,
)


def draft(pairs: Sequence[Pair], document: str) -> tuple[list[Question], list[str]]:
    """The draft questions of a document, and notices on what was left out."""
    drafts: list[Question] = []
    seen: set[str] = set()
    unusable = addressed = beyond = 0
    for pair in pairs:
        ask = plain(pair.question)[:LONGEST_ASK].strip()
        key = " ".join(ask.lower().split())
        if not ask or not key or key in seen:
            continue
        seen.add(key)
        if len(drafts) == MOST_DRAFTS:
            beyond += 1
            continue
        said, left_out = statements(pair.answer[:LONGEST_ANSWER])
        addressed += left_out
        if not said:
            unusable += 1
            continue
        drafts.append(question(pair, ask, points(ask, said), document))
    notices = []
    if beyond:
        notices.append(f"It has {MOST_DRAFTS + beyond} questions; the first {MOST_DRAFTS} were taken.")
    if unusable:
        notices.append(f"{_count(unusable, 'question has', 'questions have')} no answer in words and was left out.")
    if addressed:
        notices.append(f"{_count(addressed, 'sentence speaks', 'sentences speak')} to a grader, and was left out.")
    return drafts, notices


def _count(number: int, one: str, more: str) -> str:
    return f"{number} {one if number == 1 else more}"


def plain(text: str) -> str:
    """Markdown without pictures and addresses, and without tags that a prompt could mistake for its own."""
    return _TAG.sub("‹", _LINK.sub(r"\1", _IMAGE.sub(r"\1", text))).replace("**", "")


def is_addressed(text: str) -> bool:
    """Whether a text speaks to whoever grades, and not about its subject."""
    return bool(_ADDRESSED.search(text))


def question(pair: Pair, ask: str, rubric: Sequence[RubricPoint], document: str) -> Question:
    """A draft with that rubric."""
    digest = hashlib.sha256(f"{document}\0{pair.question}".encode()).hexdigest()[:12]
    title = next(iter(sentences(ask)), ask)
    text = f"{ask} {pair.answer} {pair.code}"
    return Question(
        id=f"draft_{digest}",
        title=title if len(title) <= 90 else f"{title[:88].rsplit(' ', 1)[0]} …",
        topic=TOPIC,
        framework=framework_of(text),
        level=pair.level or Level.MEDIUM,
        kind=pair.kind if pair.kind is not Kind.DEBUG else Kind.EXPLAIN,
        ask=ask,
        points=tuple(rubric),
        model_answer=plain(pair.answer)[:LONGEST_ANSWER],
        model_code=pair.code[:LONGEST_ANSWER],
        keywords=tuple(telling(text, "", 6)),
        symptoms=(title,),
        terms=tuple(term for term in telling(text, "", 20) if not term.islower())[:10],
        popularity=pair.popularity,
        draft=document,
    )


def framework_of(text: str) -> Framework:
    """The framework that a text speaks of; both where it speaks of both, or of none."""
    torch, tensorflow = bool(_PYTORCH.search(text)), bool(_TENSORFLOW.search(text))
    if torch == tensorflow:
        return Framework.BOTH
    return Framework.PYTORCH if torch else Framework.TENSORFLOW


def statements(answer: str) -> tuple[list[str], int]:
    """The sentences of an answer that state something, and how many were left out since they address a grader."""
    said: list[str] = []
    addressed = 0
    for sentence in _sentences(plain(answer)):
        text = _MARK.sub("", sentence).strip(" \t-–—")
        if is_addressed(text):
            addressed += 1
        elif not text.endswith(("?", ":")) and not (_LEAD_IN.match(text) and len(text.split()) < 12):
            said += [part for part in _clauses(text) if len(set(words(part))) >= LEAST_WORDS]
    return list(dict.fromkeys(part[:LONGEST_POINT] for part in said)), addressed


def _sentences(text: str) -> list[str]:
    """As `words.sentences`, without cutting after an abbreviation or the number of an item."""
    found: list[str] = []
    lines = text.split("\n")
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        if after.startswith("- ") and not line.startswith("- ") and not re.search(r"[.!?;]\s*$", line):
            continue  # the label of a list
        start = len(found)
        for part in sentences(line):
            if len(found) > start and _ABBREVIATED.search(found[-1]):
                found[-1] = f"{found[-1]} {part}"
            else:
                found.append(part)
    return found


def _clauses(sentence: str) -> list[str]:
    """A long sentence as clauses that each say something of their own."""
    if len(sentence.split()) <= LONG:
        return [sentence]
    for cut in _CONJUNCTION.finditer(sentence):
        parts = [sentence[: cut.start()].strip(), sentence[cut.end() :].strip()]
        if all(len(part.split()) >= 7 and len(set(words(part))) >= LEAST_WORDS for part in parts):
            return [parts[0] + ".", *_clauses(parts[1][:1].upper() + parts[1][1:])]
    return [sentence]


def points(ask: str, said: Sequence[str]) -> tuple[RubricPoint, ...]:
    """The rubric: at most MOST_POINTS of the statements, in their order: those that cover most of its words."""
    chosen = _covering(said, MOST_POINTS)
    return tuple(point(number, said[at], said[at], ask) for number, at in enumerate(chosen, start=1))


def point(number: int, says: str, passage: str, ask: str, accepts: Iterable[str] = ()) -> RubricPoint:
    """A draft point. Its follow-up and hints name what it is about, and leave out what it says."""
    terms = telling(says, ask, 4)
    variants = [text for text in _shorter(says) if len(set(words(text))) >= LEAST_WORDS]
    about = f"“{terms[0]}”" if terms else "what else belongs to it"
    gap = says
    for term in terms[:3]:
        gap = re.sub(rf"(?<![\w.]){re.escape(term)}(?![\w])", "…", gap)
    return RubricPoint(
        id=f"point_{number}",
        says=says,
        worth=1.0,
        accepts=tuple(dict.fromkeys(text for text in (*variants, *accepts) if text != says)),
        follow_up=f"Your document says something here on {about}. What is it?",
        hints=(f"It has to do with {about}.", gap) if gap != says else (f"It has to do with {about}.",),
        passage=passage,
    )


def _shorter(says: str) -> Iterator[str]:
    """The statement without what people leave out when they say it: parentheses, an opener, a label. Cut any shorter,
    it would fit what people say of other points."""
    bare = _PARENTHESIS.sub("", says)
    yield bare
    yield _OPENER.sub("", bare)
    yield says.partition(": ")[2]


def telling(text: str, known: str, most: int) -> list[str]:
    """The words that tell most of a text, as they are written there: code names first, then long words, and none of
    those in `known`."""
    common = set(words(known))
    found: dict[str, str] = {}
    for word in _TELLING.findall(text):
        word = word.strip(".'’")
        stems = words(word)
        if len(word) > 2 and stems and not set(stems) <= common and word.lower() not in ("e.g", "i.e", "w.r.t"):
            found.setdefault(stem(word.lower()), word)

    def weight(word: str) -> tuple[bool, int]:
        return bool(re.search(r"[_.A-Z]", word[1:])), len(word)

    return sorted(found.values(), key=weight, reverse=True)[:most]


def _covering(said: Sequence[str], most: int) -> list[int]:
    """The places of at most `most` statements that together hold the most of what the whole answer speaks of."""
    if len(said) <= most:
        return list(range(len(said)))
    stems = [set(words(text)) for text in said]
    weight = Counter(word for each in stems for word in each)
    chosen: list[int] = []
    covered: set[str] = set()
    while len(chosen) < most:
        gains = {
            at: sum(weight[word] for word in own - covered) / (4 + len(own)) * (1.0 if said[at][:1].isupper() else 0.6)
            for at, own in enumerate(stems)
            if at not in chosen
        }
        best = max(gains, key=lambda at: (gains[at], -at))
        chosen.append(best)
        covered |= stems[best]
    return sorted(chosen)


def check_data_only(drafts: Iterable[Question]) -> None:
    """Raises UserError where a draft is not data only."""
    for item in drafts:
        if item.check or not item.draft or not item.id.startswith("draft_"):
            raise UserError(
                f"“{item.title}” is not a draft of a document: drafts are data, and never come with a check."
            )
