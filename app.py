"""The composition root: settings -> parts -> page. `python app.py` serves Viva.

The page is up before anything heavy is loaded: this module imports no model library, and what needs one is made by
the steps of `ui.loading`, in the background, once somebody has the page (or nobody asked for it for a while).
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Protocol

from domain import (
    Chooser,
    Embedder,
    Framework,
    Judge,
    Library,
    Recogniser,
    ReportFile,
    SandboxBackend,
    Session,
    Store,
    UserError,
    Voice,
)
from settings import Settings, from_environment, unused_models

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from interview.service import InterviewService
    from ui.parts import Facts, Parts
    from ui.speech import Speech

BEGIN_LOADING_AFTER = 3.0  # seconds, when nobody opens the page; a visitor's page is rendered first
FORGET_EVERY = 3600.0  # seconds
LARGEST_UPLOAD = "6mb"


def _local_judge(embedder: Embedder, _: BaseChatModel | None) -> Judge:
    from grader.local import LocalJudge

    return LocalJudge(embedder)


def _llm_judge(embedder: Embedder, model: BaseChatModel | None) -> Judge:
    from grader.llm_judge import LLMJudge

    assert model is not None
    return LLMJudge(model, fallback=_local_judge(embedder, None))


def _chat_model(chosen: Settings) -> BaseChatModel | None:
    """The language model of the settings, or None. Raises UserError where it cannot be had."""
    if not chosen.llm:
        return None
    from llm import chat_model
    from spending import DailyTokens

    daily = DailyTokens(chosen.llm_daily_tokens, chosen.data / "llm-tokens.json")
    return chat_model(chosen.llm, chosen.llm_base_url, chosen.llm_timeout, chosen.llm_key, daily)


class ForgettingStore(Store, Protocol):
    """A store that can also drop what is too old."""

    def purge(self, older_than: float) -> int:
        """Forget sessions last used before this moment, in seconds since the epoch; how many went."""


def _sqlite(chosen: Settings) -> ForgettingStore:
    from interview.store import SQLiteStore

    return SQLiteStore(chosen.data / "sessions.sqlite3")


def _boxes(chosen: Settings) -> SandboxBackend:
    from sandbox.backend import Sandbox

    return Sandbox(require=chosen.sandbox_require, tf_python=chosen.tf_python)


def _html(session: Session) -> ReportFile:
    from report.build import build
    from report.html import render_html

    return ReportFile("report.html", "text/html; charset=utf-8", render_html(build(session)).encode())


def _markdown(session: Session) -> ReportFile:
    from report.build import build
    from report.markdown import render_markdown

    return ReportFile("report.md", "text/markdown; charset=utf-8", render_markdown(build(session)).encode())


def _json(session: Session) -> ReportFile:
    from report.build import build
    from report.json import render_json

    return ReportFile("report.json", "application/json", render_json(build(session)).encode())


def _pdf(session: Session) -> ReportFile:
    from report.build import build
    from report.pdf import render_pdf

    return ReportFile("report.pdf", "application/pdf", render_pdf(build(session)))


def _pdf_off() -> str:
    from report.pdf import unavailable

    return unavailable()


def _packaged_or_named(chosen: Settings) -> Recogniser:
    from speech.engines import recogniser

    return recogniser(chosen.speech_model, chosen.speech_base_url, chosen.speech_key)


def _hibari(_: Settings) -> Voice:
    from speech.voice import HibariVoice

    return HibariVoice()


def _voice_endpoint(chosen: Settings) -> Voice:
    from speech.voice_endpoint import EndpointVoice

    return EndpointVoice(chosen.voice_model, chosen.voice_name, chosen.voice_base_url, chosen.voice_key)


def _speech(chosen: Settings) -> Speech:
    """Listening and speaking; nothing of it is loaded before somebody wants it."""
    from speech.prompt import question_terms
    from speech.spoken import sentences
    from ui.speech import Speech

    hears, speaks = RECOGNISERS[chosen.speech], VOICES[chosen.voice]
    return Speech(
        hears(chosen) if hears else None,
        speaks(chosen) if speaks else None,
        browser_voice=chosen.voice == "browser",
        off=(
            "VIVA_SPEECH=off switched it off on this server; VIVA_SPEECH=auto switches it on.",
            "VIVA_VOICE=off switched it off on this server; VIVA_VOICE=hibari switches it on.",
        ),
        terms=question_terms,
        split=sentences,
    )


# What is replaceable, by name.
JUDGES: dict[str, Callable[[Embedder, BaseChatModel | None], Judge]] = {"local": _local_judge, "llm": _llm_judge}
STORES: dict[str, Callable[[Settings], ForgettingStore]] = {"sqlite": _sqlite}
SANDBOXES: dict[str, Callable[[Settings], SandboxBackend]] = {"boxes": _boxes}
RECOGNISERS: dict[str, Callable[[Settings], Recogniser] | None] = {"auto": _packaged_or_named, "off": None}
VOICES: dict[str, Callable[[Settings], Voice] | None] = {
    "hibari": _hibari,
    "endpoint": _voice_endpoint,
    "browser": None,  # the page's own script speaks
    "off": None,
}
REPORTS: dict[str, Callable[[Session], ReportFile]] = {"html": _html, "pdf": _pdf, "md": _markdown, "json": _json}
# Formats that this machine may lack a library for: why a format is off, or "".
REPORTS_OFF: dict[str, Callable[[], str]] = {"pdf": _pdf_off}


class Viva:
    """Everything that runs behind the page, made in the background in this order."""

    def __init__(self, chosen: Settings) -> None:
        from embed import SentenceEmbedder
        from interview.profile import Profiles

        self._chosen = chosen
        self._store = STORES["sqlite"](chosen)
        self._profiles = Profiles(chosen.data / "sessions.sqlite3")
        self._embedder = SentenceEmbedder(chosen.embeddings)
        self._speech = _speech(chosen)
        self._index: Future[Callable[[], None]] = Future()
        self._service: Future[InterviewService] = Future()
        self._sandbox: SandboxBackend | None = None
        self._judge_name = f"language model {chosen.llm}" if chosen.llm else f"local judge ({self._embedder.name})"
        self._topics: tuple[str, ...] = ()
        self._questions = 0
        self._shelf: Library | None = None
        self._unused: tuple[str, ...] = ()

    def parts(self) -> Parts:
        """What the page needs."""
        from ui.loading import Loading, Step
        from ui.parts import Parts

        steps = (
            Step("the questions and the sandbox", self._make_service),
            Step("the embedding model", self._embedder.load),
            Step("the index of questions", lambda: self._index.result(0)()),
        )
        return Parts(self.service, self.facts, Loading(steps), REPORTS, REPORTS_OFF, self.library, self._speech)

    def service(self) -> InterviewService:
        """The interviews. Raises UserError while or because they cannot be had."""
        try:
            return self._service.result(60)
        except TimeoutError:
            raise UserError("Viva is still starting. Try again in a moment; nothing was lost.") from None

    def library(self) -> Library:
        """The library. Raises UserError while or because it cannot be had."""
        self.service()
        assert self._shelf is not None
        return self._shelf

    def facts(self) -> Facts:
        """What is at work."""
        from ui.parts import Facts

        return Facts(
            judge=self._judge_name,
            sandbox=self._sandbox.status() if self._sandbox else None,
            retention_days=self._chosen.retention_days,
            on_space=self._chosen.on_space,
            topics=self._topics,
            questions=self._questions,
            provider=self._chosen.llm,
            unused=self._unused,
            speech=self._speech.about(),
        )

    @property
    def sandbox(self) -> SandboxBackend | None:
        """The sandbox, once it is made."""
        return self._sandbox

    def forget_old(self) -> None:
        """Delete the interviews that have been kept for long enough."""
        too_old = time.time() - self._chosen.retention_days * 86_400
        self._store.purge(too_old)
        self._profiles.purge(too_old)

    def close(self) -> None:
        """Stop the sandbox's processes, and what is being recognised."""
        self._speech.close()
        if self._sandbox is not None:
            self._sandbox.close()

    def _make_service(self) -> None:
        try:
            self._service.set_result(self._connect())
        except UserError as error:
            print(f"Viva cannot hold interviews: {error}", file=sys.stderr, flush=True)
            self._service.set_exception(error)
            raise
        except Exception:
            self._service.set_exception(UserError("Viva could not start, which is a fault of ours; see its log."))
            raise

    def _connect(self) -> InterviewService:
        self._unused = tuple(unused_models(self._chosen))
        for line in self._unused:
            print(line, flush=True)
        return self._connected()

    def _connected(self) -> InterviewService:
        from interview.intents import IntentReader
        from interview.phrasing import ChatPhraser
        from interview.service import InterviewService
        from knowledge.choose import QuestionChooser
        from knowledge.index import QuestionIndex
        from knowledge.ingest import DocumentIngester
        from knowledge.library import load_library
        from knowledge.questions import load_bank, with_own
        from knowledge.shelf import Shelf

        bank = with_own(load_bank(), self._chosen.bank)
        notes = load_library()
        index = QuestionIndex(bank, self._embedder, self._chosen.data / "index", notes)
        self._shelf = Shelf(bank, index, notes)
        self._index.set_result(index.prepare)
        sandbox = SANDBOXES["boxes"](self._chosen)
        model = _chat_model(self._chosen)
        judge = JUDGES["llm" if model else "local"](self._embedder, model)
        local = JUDGES["local"](self._embedder, None) if model else judge
        chooser: Chooser = QuestionChooser(bank, index)
        self._sandbox, self._judge_name = sandbox, judge.name
        self._topics, self._questions = bank.topics, len(bank.questions)
        for framework in (Framework.PYTORCH, Framework.TENSORFLOW):
            sandbox.prepare(framework)
        words = {topic: set[str]() for topic in bank.topics}
        for question in bank.questions.values():
            words[question.topic].update(question.keywords)
        return InterviewService(
            store=self._store,
            chooser=chooser,
            judge=judge,
            sandbox=sandbox,
            check_path=bank.check_path,
            topics={topic: sorted(keywords) for topic, keywords in words.items()},
            intents=IntentReader(self._embedder),
            phraser=ChatPhraser(model) if model else None,
            provider=self._chosen.llm,
            environment=(("bank", bank.hash[:16]),),
            local=local,
            second_judge=_local_judge(self._embedder, None) if model else None,
            question_of=bank.questions.get,
            near=index.nearness,
            passages=lambda text: index.search(text, 1, kind="note"),
            ingester=DocumentIngester(lambda: model, self._chosen.llm),
            profiles=self._profiles,
        )


def quieten(chosen: Settings) -> None:
    """Set what libraries read from the environment at import: no analytics, no hub, nothing written elsewhere."""
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    os.environ["GRADIO_TEMP_DIR"] = str(chosen.data / "uploads")
    os.environ["DO_NOT_TRACK"] = os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    from speech.engines import needs_hub

    local_speech = not needs_hub(chosen.speech_model, chosen.speech_base_url)
    if local_speech and (not chosen.embeddings or Path(chosen.embeddings).is_dir()):
        os.environ["HF_HUB_OFFLINE"] = "1"


def check_data_folder(folder: Path) -> None:
    """Make the data folder, and write in it. Raises UserError when that fails."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise UserError(
            f"The data folder {folder} cannot be written ({error.strerror}). "
            "Choose another with VIVA_DATA=/a/folder, or make this one writable."
        ) from None


def free_port(host: str, port: int) -> int:
    """The port to listen on; for 0 one that is free. Raises UserError when it cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise UserError(
                f"Viva cannot listen on {host} port {port} ({error.strerror}). "
                f"Stop what uses it, or choose another: VIVA_PORT={port + 1 if port < 65535 else 0} make run. "
                "VIVA_PORT=0 takes any free port."
            ) from None
        return int(probe.getsockname()[1])


def serve(chosen: Settings) -> None:
    """Serve until SIGTERM or Ctrl-C. Raises UserError when it cannot start."""
    check_data_folder(chosen.data)
    port = free_port(chosen.host, chosen.port)
    viva = Viva(chosen)
    quieten(chosen)
    from ui import theme
    from ui.http import middleware
    from ui.login import Passwords, read_users
    from ui.page import Page

    users = read_users(chosen.users) if chosen.users else {}
    passwords = Passwords(chosen.password, users) if chosen.password or users else None
    parts = viva.parts()
    page = Page(parts)
    over = threading.Event()

    def stop(_number: int, _frame: FrameType | None) -> None:
        over.set()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    try:
        # Gradio announces its MCP server on standard output, where our one line is waited for.
        with contextlib.redirect_stdout(sys.stderr) if chosen.mcp else contextlib.nullcontext():
            page.blocks.launch(
                server_name=chosen.host,
                server_port=port,
                app_kwargs={"middleware": middleware(parts, chosen.frame_ancestors, passwords, chosen.behind_proxy)},
                theme=theme.theme(),
                css=theme.css(),
                head=theme.head(),
                prevent_thread_lock=True,
                quiet=True,
                share=False,
                ssr_mode=False,
                pwa=False,
                run_history=False,
                enable_monitoring=False,
                mcp_server=chosen.mcp,
                footer_links=[],
                max_file_size=LARGEST_UPLOAD,
            )
        shown = "127.0.0.1" if chosen.host in ("0.0.0.0", "::") else chosen.host  # noqa: S104
        print(f"Viva is at http://{shown}:{port}", flush=True)
        parts.loading.begin_after(BEGIN_LOADING_AFTER)
        viva.forget_old()
        while not over.wait(FORGET_EVERY):
            viva.forget_old()
    finally:
        page.blocks.close(verbose=False)
        viva.close()


def main() -> int:
    """Serve; 0 after a stop, 2 when it cannot start."""
    try:
        serve(from_environment())
    except UserError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
