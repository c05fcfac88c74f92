"""`python -m speech`: recognise a recording, speak a text, and measure how well speech is recognised and graded."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import settings
from domain import Answer, PointScore, Proof, Question, Recogniser, Score, UserError, Voice
from speech.engines import recogniser
from speech.prompt import question_terms
from speech.whisper import BEAM

QUICK_SPEAKERS, QUICK_EVERY = 2, 3  # an odd step, so that both halves are heard


def _recogniser(model: str, beam: int = BEAM) -> Recogniser:
    """The recogniser of the settings, or with that model or beam on this machine."""
    chosen = settings.from_environment()
    if model or beam != BEAM:
        return recogniser(model, beam=beam)
    return recogniser(chosen.speech_model, chosen.speech_base_url, chosen.speech_key)


def _questions() -> dict[str, Question]:
    from knowledge.questions import load_bank

    return dict(load_bank().questions)


def transcribe(options: argparse.Namespace) -> int:
    """Print what is said in a recording."""
    from speech.delivery import advice

    terms: tuple[str, ...] = ()
    if options.question:
        questions = _questions()
        if options.question not in questions:
            raise UserError(f"There is no question {options.question!r}.")
        terms = question_terms(questions[options.question])
    listening = _recogniser(options.model)
    start = time.perf_counter()
    for heard in listening.transcribe(Path(options.file), terms):
        if not heard.final and not options.json:
            print(f"… {heard.text}", file=sys.stderr, flush=True)
    took = time.perf_counter() - start
    doubtful = [heard.text[start:end] for start, end in heard.doubtful]
    if options.json:
        told = dataclasses.asdict(heard) | {"took": round(took, 2), "doubtful_words": doubtful}
        print(json.dumps(told, indent=2, ensure_ascii=False))
        return 0
    print(heard.text or "No words were heard.")
    for change in heard.corrections:
        print(f"  corrected: “{change.heard}” to “{heard.text[change.start : change.end]}”")
    if doubtful:
        print(f"  not heard clearly: {', '.join(doubtful)}")
    if heard.delivery:
        found = heard.delivery
        print(
            f"  {found.seconds:.1f} s, {found.words_per_minute:.0f} words a minute, longest pause "
            f"{found.longest_pause:.1f} s, {found.fillers} fillers. {advice(found)}"
        )
    print(f"  {heard.engine}, {took:.1f} s")
    return 0


def bench(options: argparse.Namespace) -> int:
    """Measure, and print the figures."""
    from speech.bench import listening
    from speech.bench.speakers import SPEAKERS

    questions = _questions()
    engine = _recogniser(options.model, options.beam)
    start = time.perf_counter()
    engine.load()
    loaded = time.perf_counter() - start

    def terms_of(question: str) -> Sequence[str]:
        return () if options.without_terms or question not in questions else question_terms(questions[question])

    def tell(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    figures: dict[str, Any] = {"engine": engine.name, "load_s": round(loaded, 1), "load": os.getloadavg()[0]}
    run = listening.Bench(engine, terms_of, tell)
    if options.answers:
        figures["graded"] = _graded(run, questions, options.answers, options.kept, tell)
    else:
        some = SPEAKERS[:QUICK_SPEAKERS] if options.quick else SPEAKERS
        figures["words"] = run.words(some, QUICK_EVERY if options.quick else 1, options.full)
        cost = run.cost.figures()
        figures["invented"] = run.invented(SPEAKERS[:1] if options.quick else SPEAKERS)
        figures["live"] = run.live()
    figures["real_time_factor"] = cost if not options.answers else run.cost.figures()
    figures["peak_memory_mib"] = listening.peak_memory()
    if options.json:
        print(json.dumps(figures, indent=2, ensure_ascii=False))
    else:
        print(f"{figures['engine']}, loaded in {loaded:.1f} s")
        for line in (*_graded_rows(figures), *listening.rows(figures)):
            print(line)
    return 0


def _graded(run: Any, questions: dict[str, Question], most: int, kept: str, tell: Any) -> dict[str, Any]:
    """Typed against spoken, over that many of the labelled answers of the bank, in no order of any meaning."""
    from domain import Speaker as Side
    from domain import Turn, TurnKind
    from embed import SentenceEmbedder
    from grader import labelled
    from grader.heard import excused
    from grader.local import LocalJudge
    from grader.rubric import score
    from knowledge.questions import BANK
    from speech.bench.graded import compare, place, spoken

    judge = LocalJudge(SentenceEmbedder(settings.from_environment().embeddings))

    def grade(question: Question, answer: Answer) -> tuple[Score, list[PointScore]]:
        points = [point for point in question.points if point.proof is Proof.SAID]
        turns = [Turn(0, Side.CANDIDATE, TurnKind.ANSWER, answer.text, 0.0, question.id, answer)]
        found = excused(question, judge.judge(question, points, turns), turns)
        return score(points, found), found

    every = [
        (questions[path.parent.name], item.text)
        for path in sorted(BANK.glob("*/*/answers.yaml"))
        if path.parent.name in questions
        for item in labelled.read(path, questions[path.parent.name])
        if item.kind != "stuffed"  # lists of terms, which nobody says
    ]
    chosen = sorted(every, key=lambda item: place(*item))[:most]
    return compare(spoken(run, chosen, Path(kept) if kept else None, tell), grade)


def _graded_rows(figures: dict[str, Any]) -> list[str]:
    found = figures.get("graded")
    if not found:
        return []
    return [
        f"{found['answers']} labelled answers, typed and spoken: scores differ by {found['mean_difference']:.3f} of "
        f"the worth on average ({found['mean_signed_difference']:+.3f} for speaking); "
        f"{found['answers_with_the_same_score']} are the same",
        f"by speaker: {', '.join(f'{name} {value:.3f}' for name, value in found['by_speaker'].items())}; "
        f"read out and heard perfectly: {found['read_out_and_heard_perfectly']:.3f}",
        f"headlines differ by {found['headline_mean_difference'] or 0:.3f} over {found['headlines_compared']}; "
        f"{100 * found['same_verdict']:.1f} % of {found['verdicts']} verdicts are the same, "
        f"{found['points_excused_as_unintelligible']} points are excused",
        f"changed: {', '.join(f'{change} ({often})' for change, often in found['changes'].items())}",
    ]


def _voice() -> Voice:
    from speech.saying import voice

    chosen = settings.from_environment()
    return voice(chosen.voice, chosen.voice_model, chosen.voice_name, chosen.voice_base_url, chosen.voice_key)


def say(options: argparse.Namespace) -> int:
    """Speak a text as the interviewer would."""
    from speech import saying

    return saying.say(_voice(), options.text, options.output, options.json)


def terms(options: argparse.Namespace) -> int:
    """Say each term of the pronunciation table, and recognise it back."""
    from speech import saying

    return saying.terms(_voice(), _recogniser(""), options.term, control=options.control, as_json=options.json)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line. Returns the exit status: 0 fine, 1 a term was not understood, 2 it could not be done."""
    parser = argparse.ArgumentParser(prog="python -m speech", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    hearing = commands.add_parser("transcribe", help="recognise a recording")
    hearing.add_argument("file", help="WebM, Ogg, WAV, MP3, M4A or FLAC")
    hearing.add_argument("--question", default="", help="a question's id: its terms are expected")
    hearing.set_defaults(run=transcribe)
    speaking = commands.add_parser("say", help="speak a text as the interviewer would")
    speaking.add_argument("text", help="Markdown; - reads standard input")
    speaking.add_argument("-o", "--output", default="", help="a WAV file to write")
    speaking.add_argument("--json", action="store_true")
    speaking.set_defaults(run=say)
    checking = commands.add_parser("terms", help="say each term of the pronunciation table and recognise it back")
    checking.add_argument("term", nargs="*", help="only these")
    checking.add_argument("--control", action="store_true", help="also listen for it where another term is said")
    checking.add_argument("--json", action="store_true")
    checking.set_defaults(run=terms)
    measuring = commands.add_parser("bench", help="measure on synthetic speech")
    measuring.add_argument("--quick", action="store_true", help="fewer answers, two speakers")
    measuring.add_argument("--full", action="store_true", help="every answer by every speaker at every level of noise")
    measuring.add_argument("--beam", type=int, default=BEAM, help=f"beams of the search; {BEAM} unless said otherwise")
    measuring.add_argument("--without-terms", action="store_true", help="do not tell the recogniser what to expect")
    measuring.add_argument(
        "--answers", type=int, default=0, metavar="N", help="instead, grade N labelled answers as typed and as spoken"
    )
    measuring.add_argument("--kept", default="", metavar="FILE", help="where --answers keeps what it recognised")
    measuring.set_defaults(run=bench)
    for command in (hearing, measuring):
        command.add_argument("--model", default="", help="a faster-whisper model: base, tiny.en, a name or a folder")
        command.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    try:
        return int(options.run(options))
    except UserError as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
