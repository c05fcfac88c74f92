"""`python -m knowledge`: list, search, verify and measure the bank, and read documents. A composition root."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import settings
from domain import SandboxBackend, UserError
from embed import SentenceEmbedder
from knowledge.index import QuestionIndex
from knowledge.library import load_library
from knowledge.questions import Bank, load_bank, with_own

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

QUERIES = Path("tests/knowledge/queries.yaml")


def _print(data: Any) -> None:
    print(json.dumps(data, ensure_ascii=False, indent=2, default=str))


def _table(rows: Sequence[Sequence[str]]) -> None:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))] if rows else []
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _index(bank: Bank) -> QuestionIndex:
    chosen = settings.from_environment()
    return QuestionIndex(bank, SentenceEmbedder(chosen.embeddings), chosen.data / "index", load_library())


def _bank() -> Bank:
    return with_own(load_bank(), settings.from_environment().bank)


def _list(arguments: argparse.Namespace) -> int:
    bank = _bank()
    if arguments.json:
        _print([dataclasses.asdict(question) for question in bank.questions.values()])
        return 0
    rows = [["id", "topic", "framework", "level", "kind", "points", "title"]]
    for question in bank.questions.values():
        facts = (question.id, question.topic, question.framework, question.level, question.kind)
        rows.append([*map(str, facts), str(len(question.points)), question.title])
    _table(rows)
    return 0


def _search(arguments: argparse.Namespace) -> int:
    index = _index(_bank())
    hits = index.search(arguments.query, k=arguments.k, kind=None)
    if index.notice:
        print(index.notice, file=sys.stderr)
    if arguments.json:
        _print([dataclasses.asdict(hit) for hit in hits])
    else:
        _table([[f"{hit.score:.2f}", hit.kind, hit.id, hit.title, " ".join(hit.text.split())[:60]] for hit in hits])
    return 0


def _answers(bank: Bank, question_id: str) -> str:
    try:
        return str(len(bank.answers(question_id)))
    except UserError:
        return "broken"


def _verify(arguments: argparse.Namespace) -> int:
    from knowledge.verify import Ran, verify

    chosen = settings.from_environment()
    bank = load_bank(only=arguments.ids)
    sandbox: SandboxBackend | None = None
    if not arguments.no_runs:
        from sandbox.backend import Sandbox
        from sandbox.plan import Limits

        # A proof of the bank is no measure of the machine: right code may take its time on a busy one.
        patient = Limits(seconds=60.0)
        sandbox = Sandbox(require=chosen.sandbox_require, tf_python=chosen.tf_python, limits=patient)
    start = time.perf_counter()

    def progress(ran: Ran) -> None:
        if not arguments.json and sys.stderr.isatty():
            print(
                f"\r{time.perf_counter() - start:6.1f} s  {ran.question_id}/{ran.file:60.60}", end="", file=sys.stderr
            )

    embedder = SentenceEmbedder(chosen.embeddings)
    seeds = range(arguments.first_seed, arguments.first_seed + arguments.seeds)
    try:
        found = verify(
            bank, sandbox, embedder, seeds, arguments.jobs, arguments.require_all and not arguments.ids, progress
        )
    finally:
        if sandbox is not None:
            sandbox.close()
    findings = [finding for finding in found.findings if not (arguments.ids and finding.rule == "subjects")]
    seconds = time.perf_counter() - start
    if arguments.json:
        _print(
            {
                "questions": len(bank.questions),
                "bank_hash": bank.hash,
                "runs": len(found.runs),
                "seconds": round(seconds, 1),
                "faults": len(found.faults),
                "findings": [dataclasses.asdict(finding) for finding in findings],
            }
        )
        return 1 if found.faults else 0
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    rows = [["question", "kind", "points", "right", "wrong", "answers", "runs", "faults", "warnings"]]
    for question in bank.questions.values():
        mine = [finding for finding in findings if finding.where.split("/")[0] == question.id]
        counts = [
            len(question.points),
            *(len(bank.submissions(question.id, kind)) for kind in ("right", "wrong")),
            _answers(bank, question.id),
            sum(ran.question_id == question.id for ran in found.runs),
            sum(finding.severity == "fault" for finding in mine),
            sum(finding.severity == "warning" for finding in mine),
        ]
        rows.append([question.id, str(question.kind), *map(str, counts)])
    _table(rows)
    for finding in sorted(findings, key=lambda finding: finding.severity == "warning"):
        print(f"{finding.severity}: {finding.where}: {finding.rule}: {finding.what}")
    print(
        f"{len(bank.questions)} questions, {len(found.runs)} runs in {seconds:.1f} s: "
        f"{len(found.faults)} faults, {len(findings) - len(found.faults)} warnings."
    )
    return 1 if found.faults else 0


def _mutants(arguments: argparse.Namespace) -> int:
    from knowledge.mutants import WANTED, Share, Tried, shares, try_mutants
    from sandbox.backend import Sandbox

    chosen = settings.from_environment()
    bank = load_bank(only=arguments.ids)
    sandbox = Sandbox(require=chosen.sandbox_require, tf_python=chosen.tf_python)
    start = time.perf_counter()

    def progress(one: Tried) -> None:
        if not arguments.json and sys.stderr.isatty():
            print(
                f"\r{time.perf_counter() - start:6.1f} s  {one.question_id}/{one.file:50.50}", end="", file=sys.stderr
            )

    try:
        questions = bank.questions.values()
        tried = list(
            try_mutants(bank, sandbox, questions, range(arguments.seeds), arguments.jobs, arguments.most, progress)
        )
    finally:
        sandbox.close()
    found = shares(tried)
    total = Share("all", *(sum(getattr(row, name) for row in found) for name in ("made", "killed", "equivalent")))
    survivors = [one for one in tried if not one.killed]
    if arguments.json:
        _print(
            {
                "seconds": round(time.perf_counter() - start, 1),
                "questions": [
                    {**dataclasses.asdict(row), "share": round(row.killed_share, 4)} for row in (*found, total)
                ],
                "survivors": [dataclasses.asdict(one) for one in survivors],
            }
        )
        return 0 if total.killed_share >= WANTED else 1
    rows = [["question", "mutants", "killed", "equivalent", "share"]]
    for row in (*found, total):
        counts = (row.made, row.killed, row.equivalent)
        rows.append([row.question_id, *map(str, counts), f"{row.killed_share:.3f}"])
    _table(rows)
    for one in survivors:
        said = f"equivalent: {one.why}" if one.why else "survives"
        print(f"{one.question_id}/{one.file}:{one.mutant.number}: {one.mutant.edit}  [{one.mutant.line}]  {said}")
    return 0 if total.killed_share >= WANTED else 1


def _bench(arguments: argparse.Namespace) -> int:
    from knowledge.bench import RANKINGS, covered, measure, read_queries

    bank = load_bank()
    index = _index(bank)
    if arguments.scale:
        return _scale(index, arguments)
    queries = read_queries(arguments.queries)
    served = covered(queries, bank)
    index.prepare()
    index.search("warm up")
    results = [measure(index, bank, served, ranking) for ranking in RANKINGS]
    if arguments.json:
        _print([dataclasses.asdict(result) for result in results])
        return 0
    print(f"{len(served)} of {len(queries)} queries have a question on their subject, of {len(bank.questions)} in all.")
    rows = [["ranking", "recall@1", "recall@5", "MRR", "p50 ms"]]
    for result in results:
        shares = (result.recall_at_1, result.recall_at_5, result.mrr)
        rows.append([result.ranking, *(f"{share:.3f}" for share in shares), f"{result.p50_ms:.2f}"])
    _table(rows)
    for text in results[0].missed:
        print(f"missed by {results[0].ranking}: {text}")
    return 0


def _scale(index: QuestionIndex, arguments: argparse.Namespace) -> int:
    from knowledge.scale import scale

    sizes = [size for size in (10**3, 10**4, 10**5, 10**6) if size <= arguments.largest]
    results = []
    for result in scale(index.all_vectors(), sizes):
        results.append(result)
        if not arguments.json:
            kind = f"{result.kind}{'*' if result.chosen else ''}"
            times = f"p50 {result.p50_ms:6.2f} ms  p95 {result.p95_ms:6.2f} ms"
            built = f"build {result.build_seconds:7.2f} s  {result.bytes_per_vector:6.0f} B/vector"
            print(f"{result.size:>8}  {kind:5}  {built}  {times}  recall@10 {result.recall_at_10:.3f}", flush=True)
    if arguments.json:
        _print([dataclasses.asdict(result) for result in results])
    return 0


def _ingest(arguments: argparse.Namespace) -> int:
    from knowledge.ingest import DocumentIngester
    from knowledge.publish import write_drafts

    chosen = settings.from_environment()
    if arguments.llm and not chosen.llm:
        raise UserError("--llm needs a language model: set VIVA_LLM.")

    def model() -> BaseChatModel:
        from llm import chat_model

        return chat_model(chosen.llm, chosen.llm_base_url, chosen.llm_timeout, chosen.llm_key)

    ingester = DocumentIngester(model, chosen.llm)
    found = [ingester.ingest_file(path, agreed=arguments.llm) for path in arguments.files]
    written = write_drafts(arguments.out, [draft for item in found for draft in item.drafts]) if arguments.out else []
    if arguments.json:
        _print({"documents": [dataclasses.asdict(item) for item in found], "written": written})
        return 0
    for item in found:
        print(f"{item.document}: {len(item.drafts)} questions, {len(item.passages)} passages")
        for notice in item.notices:
            print(f"  {notice}")
        rows = [["level", "kind", "popularity", "points", "code", "question"]]
        for draft in item.drafts:
            facts = (draft.level, draft.kind, draft.popularity or "-", len(draft.points))
            rows.append([*map(str, facts), "yes" if draft.model_code else "-", " ".join(draft.ask.split())[:70]])
        _table(rows if item.drafts else [])
    for path in written:
        print(f"wrote {path}")
    return 0


def _publish(arguments: argparse.Namespace) -> int:
    from knowledge.publish import publish

    to = arguments.to or settings.from_environment().bank
    if to is None:
        raise UserError("Say where to: --to FOLDER, or set VIVA_BANK to the folder of your own questions.")
    written = publish(arguments.drafts, to, arguments.topic)
    if arguments.json:
        _print({"written": written})
        return 0
    for path in written:
        print(f"wrote {path}")
    print(f"VIVA_BANK={to} asks {'it' if len(written) == 1 else 'them'} beside the packaged questions.")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m knowledge", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="command")

    command = commands.add_parser("list", help="the questions of the bank")
    command.set_defaults(run=_list)

    command = commands.add_parser("search", help="questions and notes near to some words")
    command.add_argument("query")
    command.add_argument("-k", type=int, default=5, help="how many (5)")
    command.set_defaults(run=_search)

    command = commands.add_parser("verify", help="prove the bank: rules, submissions in the sandbox, wording")
    command.add_argument("ids", nargs="*", metavar="QUESTION_ID", help="only these questions")
    command.add_argument("--seeds", type=int, default=3, help="seeds that each submission runs under (3)")
    command.add_argument("--first-seed", type=int, default=0, help="the first of them (0)")
    command.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="runs at a time (the processors)")
    command.add_argument("--no-runs", action="store_true", help="only what files show; run nothing")
    command.add_argument("--require-all", action="store_true", help="an uncovered subject is a fault")
    command.set_defaults(run=_verify)

    command = commands.add_parser(
        "mutants", help="the share of one-edit mutants of right submissions that checks refuse"
    )
    command.add_argument("ids", nargs="*", metavar="QUESTION_ID", help="only these questions")
    command.add_argument("--seeds", type=int, default=3, help="seeds that a mutant must survive (3)")
    command.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="runs at a time (the processors)")
    command.add_argument("--most", type=int, default=0, help="mutants of one submission at most; 0 is all (0)")
    command.set_defaults(run=_mutants)

    command = commands.add_parser("bench", help="measure retrieval, or with --scale kinds of index by size")
    command.add_argument("--queries", type=Path, default=QUERIES, help=f"file of queries ({QUERIES})")
    command.add_argument("--scale", action="store_true", help="build 10^3 to 10^6 vectors instead (minutes)")
    command.add_argument("--largest", type=int, default=10**6, help="largest size with --scale (1000000)")
    command.set_defaults(run=_bench)

    command = commands.add_parser("ingest", help="questions in documents of your own, as drafts: shown, or written")
    command.add_argument("files", nargs="+", type=Path, metavar="FILE", help="txt, md, html, pdf, docx or ipynb")
    command.add_argument("--out", type=Path, metavar="FOLDER", help="write each draft into a folder under this one")
    command.add_argument("--llm", action="store_true", help="send the text to VIVA_LLM, which writes the rubrics")
    command.set_defaults(run=_ingest)

    command = commands.add_parser("publish", help="completed drafts into a folder of your own questions")
    command.add_argument("drafts", nargs="+", type=Path, metavar="DRAFT", help="folder with a draft.yaml")
    command.add_argument("--to", type=Path, metavar="FOLDER", help="where to (VIVA_BANK)")
    command.add_argument("--topic", default="", help="the topic that they go under (your_documents)")
    command.set_defaults(run=_publish)

    for command in commands.choices.values():
        command.add_argument("--json", action="store_true", help="for machines")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Returns the exit status: 0, 1 for faults found, 2 for a message about the input."""
    arguments = _parser().parse_args(argv)
    try:
        return int(arguments.run(arguments))
    except UserError as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
