"""The grader from the command line: grade an answer, and measure the judge.

python -m grader grade QUESTION_ID --answer FILE [--json]
python -m grader agree DATA.csv... [--bank] [--limit N] [--llm] [--json]
python -m grader gaming [DATA.csv...] [--limit N] [--llm] [--json]
python -m grader bench [--json]
python -m grader fit [--json]
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from domain import Judge, PointScore, Proof, Question, Quote, UserError
from embed import SentenceEmbedder
from grader import agree, bench, gaming, labelled, public
from grader.held_out import HeldOutJudge
from grader.labelled import Labelled
from grader.local import LocalJudge
from grader.memo import RememberingEmbedder
from grader.quotes import text_of
from grader.rubric import score
from knowledge.questions import BANK, load_bank
from settings import from_environment


def _judge(embedder: SentenceEmbedder | RememberingEmbedder, with_llm: bool, measured: bool = False) -> Judge:
    """The local judge, for a measurement as fitted without the question judged; or with `--llm` the one that VIVA_LLM
    names. Raises UserError when that is unset."""
    local = LocalJudge(embedder)
    if not with_llm:
        return HeldOutJudge(embedder) if measured else local
    settings = from_environment()
    if not settings.llm:
        raise UserError("--llm needs VIVA_LLM to name a model, for example VIVA_LLM=openai:gpt-4.1-mini.")
    from grader.llm_judge import LLMJudge
    from llm import chat_model

    return LLMJudge(chat_model(settings.llm, settings.llm_base_url, settings.llm_timeout), local)


def _bank_answers() -> list[Labelled]:
    bank = load_bank()
    return [
        answer
        for path in sorted(BANK.glob("*/*/answers.yaml"))
        if path.parent.name in bank.questions
        for answer in labelled.read(path, bank.questions[path.parent.name])
    ]


def _grade(arguments: argparse.Namespace) -> int:
    questions = load_bank().questions
    if arguments.question not in questions:
        raise UserError(f"There is no question {arguments.question!r}. There are: {', '.join(sorted(questions))}.")
    question = questions[arguments.question]
    try:
        text = sys.stdin.read() if arguments.answer == "-" else Path(arguments.answer).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"The answer {arguments.answer} cannot be read: {error}") from error
    points = [point for point in question.points if point.proof is Proof.SAID]
    judge = _judge(SentenceEmbedder(from_environment().embeddings), arguments.llm)
    turns = [public.answer_turn(text)]
    scores = judge.judge(question, points, turns)
    total = score(points, scores)
    if arguments.json:
        rows = [asdict(item) | {"quotes": _quotes(item, text)} for item in scores]
        _print({"question": question.id, "judge": judge.name, "score": asdict(total), "points": rows})
    else:
        _show(question, judge, scores, text)
        headline = "none, too little was graded" if total.value is None else f"{100 * total.value:.0f} %"
        print(f"\n{total.earned:g} of {total.worth:g} points for words ({headline}); code is run by the sandbox.")
    return 0


def _quotes(item: PointScore, text: str) -> list[str]:
    return [text_of(quote, [public.answer_turn(text)]) for quote in item.evidence if isinstance(quote, Quote)]


def _show(question: Question, judge: Judge, scores: Sequence[PointScore], text: str) -> None:
    print(f"{question.title}, judged by the {judge.name}")
    for item in scores:
        point = question.point(item.point_id)
        print(f"\n{item.verdict.value.replace('_', ' '):12} {point.worth:g}  {point.says}")
        print(f"  {item.why} (confidence {item.confidence:.2f})")
        for quote in _quotes(item, text):
            print(f"  “{' '.join(quote.split())}”")
        for line in (item.correction, item.judged_by.note):
            if line:
                print(f"  {line}")


def _agree(arguments: argparse.Namespace) -> int:
    if not arguments.data and not arguments.bank:
        raise UserError("Name one CSV file at least, or --bank for the bank's labelled answers.")
    embedder = RememberingEmbedder(SentenceEmbedder(from_environment().embeddings))
    judge = _judge(embedder, arguments.llm, measured=True)
    paths = [Path(name) for name in arguments.data]
    sets = agree.measure_files(judge, embedder, paths, arguments.limit, lambda text: print(text, file=sys.stderr))
    result: dict[str, Any] = {"sets": sets}
    if arguments.bank:
        result["bank"] = labelled.measure(judge, _bank_answers())
    if arguments.json:
        _print(result)
        return 0
    for figures in sets:
        print(f"\n{figures['set']}: {figures['answers']} answers, {figures['questions']} questions, {figures['judge']}")
        print(f"  {'':16} r [95 %]            within  given length  rmse cal.  kappa cal.  over-credit raw")
        for kind, row in figures["scores"].items():
            low, high = row["r_interval"]
            over = f"{100 * row['over_credit']:+.0f}" if "over_credit" in row else ""
            print(
                f"  {kind:16} {row['r']:.3f} [{low:.2f}, {high:.2f}]  {row['r_within_question']:.3f}   "
                f"{row['r_given_length']:.3f}         {row['rmse_calibrated']:.3f}      "
                f"{row['kappa_calibrated']:.3f}       {over}"
            )
        for kind, row in figures.get("three_way", {}).items():
            credited = 100 * row["contradictory_credited"]
            print(f"  three-way {kind}: macro-F1 {row['macro_f1']:.3f}, contradictory credited {credited:.0f} %")
        print(f"  ungraded points: {100 * figures['ungraded']:.1f} %")
    if "bank" in result:
        print("\nThe bank's labelled answers:")
        for name, value in result["bank"].items():
            if name != "errors":
                print(f"  {name}: {value if isinstance(value, str | int) else round(value, 3)}")
    return 0


def _first(bank: Sequence[Labelled], limit: int) -> list[Labelled]:
    """The strong and the wrong answers, of each question and kind the first before the second; at most `limit`."""
    seen: Counter[tuple[str, str]] = Counter()
    ranked = []
    for place, item in enumerate(bank):
        if item.kind in {"strong", "wrong"}:
            ranked.append((seen[item.question.id, item.kind], place, item))
            seen[item.question.id, item.kind] += 1
    return [item for _, _, item in sorted(ranked, key=lambda row: row[:2])[: limit or None]]


def _gaming(arguments: argparse.Namespace) -> int:
    embedder = RememberingEmbedder(SentenceEmbedder(from_environment().embeddings))
    judge = _judge(embedder, arguments.llm, measured=True)
    sets: dict[str, list[gaming.Sample]] = {}
    if bank := _bank_answers():
        sets["bank"] = [
            gaming.Sample(item.question, item.text, item.kind == "strong") for item in _first(bank, arguments.limit)
        ]
    for name in arguments.data:
        clear = [row for row in public.read(Path(name)) if row.score >= 0.99 or row.score <= 0.5]
        sets[Path(name).stem] = gaming.samples_of(public.sample(clear, arguments.limit))
    if not sets:
        raise UserError("The bank has no labelled answers yet: name a CSV file of graded answers.")
    result = {name: gaming.gates(judge, samples) for name, samples in sets.items()}
    failed = sum(not gate.holds for rows in result.values() for gate in rows)
    if arguments.json:
        tables = {name: [asdict(gate) | {"holds": gate.holds} for gate in rows] for name, rows in result.items()}
        _print({"judge": judge.name, "failed": failed, "sets": tables})
    else:
        for name, rows in result.items():
            print(f"\n{name}")
            for gate in rows:
                sign = "at least" if gate.at_least else "at most"
                mark = "holds" if gate.holds else "FAILS"
                print(f"  {mark}  {gate.name}: {gate.value:.3f} ({sign} {gate.limit:g}, {gate.samples} samples)")
        print(f"\n{failed} gates failed.")
    return 1 if failed else 0


def _bench(arguments: argparse.Namespace) -> int:
    result = bench.measure(SentenceEmbedder(from_environment().embeddings))
    if arguments.json:
        _print(result)
    else:
        print(
            f"{result['words']} words against {result['points']} points ({result['phrasings']} phrasings), "
            f"{result['threads']} threads: median {result['median_ms']} ms, 90th percentile {result['p90_ms']} ms, "
            f"{result['cpu_ms']} ms of processor time"
        )
    return 0


def _fit(arguments: argparse.Namespace) -> int:
    from grader.fit import fit

    result = fit(RememberingEmbedder(SentenceEmbedder(from_environment().embeddings)), _bank_answers())
    if arguments.json:
        _print(result)
    else:
        print(
            f"Fitted {result['features']} features on {result['rows']} points of answers to {result['questions']} "
            f"questions, in {result['folds']} folds."
        )
    return 0


def _print(value: Any) -> None:
    print(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m grader", description="Grade an answer, and measure the judge.")
    commands = parser.add_subparsers(dest="command", required=True)

    def command(name: str, run: Any, about: str, llm: bool = True) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=about, description=about)
        added.add_argument("--json", action="store_true", help="print JSON")
        if llm:
            added.add_argument("--llm", action="store_true", help="judge with the model that VIVA_LLM names")
        added.set_defaults(run=run)
        return added

    grade = command("grade", _grade, "Grade an answer to a question of the bank.")
    grade.add_argument("question", help="the question's id")
    grade.add_argument("--answer", required=True, help="a text file, or - for standard input")
    agreement = command("agree", _agree, "Compare the judge with human grades.")
    agreement.add_argument("data", nargs="*", help="CSV files of graded answers")
    agreement.add_argument("--bank", action="store_true", help="also the bank's labelled answers")
    matrix = command("gaming", _gaming, "Try to cheat the judge; exit 1 when a gate fails.")
    matrix.add_argument("data", nargs="*", help="CSV files of graded answers, besides the bank's")
    for added in (agreement, matrix):
        added.add_argument("--limit", type=int, default=0, help="at most so many answers of each set")
    command("bench", _bench, "Time the local judge.", llm=False)
    command("fit", _fit, "Fit the local judge's scorer on the bank's labelled answers.", llm=False)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status: 0, 1 when a gate fails, 2 for a user's error."""
    parsed = _parser().parse_args(arguments)
    try:
        return int(parsed.run(parsed))
    except UserError as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
