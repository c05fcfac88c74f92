"""The page's fixed texts, and the lines that say what is at work on this machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from domain import SandboxStatus
from ui.loading import LoadState
from ui.parts import Facts
from ui.text import html

MARK = (
    '<svg viewBox="0 0 32 32" aria-hidden="true"><path d="M4 8.5 12.4 25 19.6 12.4" fill="none" stroke="currentColor" '
    'stroke-width="3.6" stroke-linecap="round" stroke-linejoin="round"/>'
    '<circle cx="25.4" cy="7.6" r="3.4" fill="var(--gold)"/></svg>'
)
_LINK = (
    '<svg viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2" '
    'stroke-linecap="round"><path d="M9.5 14.5 14.5 9.5M8 11l-2.5 2.5a3.9 3.9 0 0 0 5.5 5.5L13.500 16.500M16 13l2.5-2.5'
    'a3.900 3.900 0 0 0-5.500-5.500L10.500 7.500"/></svg>'
)
_THEME = (
    '<svg viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2"><circle cx="12" '
    'cy="12" r="8.500"/><path d="M12 3.500a8.500 8.500 0 0 1 0 17z" fill="currentColor"/></svg>'
)
TABS = (("interview", "Interview"), ("library", "Library"), ("history", "History"), ("about", "About"))
_TABS = "".join(f'<a href="#{name}" data-tab="{name}">{label}</a>' for name, label in TABS)
TOP = f"""<header class="viva-bar">
<a class="viva-brand" href="?" aria-label="Viva, new interview">{MARK}<b>Viva</b></a>
<nav class="viva-tabs" aria-label="Parts of the page">{_TABS}</nav>
<div class="viva-tools">
<button type="button" class="viva-if-open" data-viva="link" aria-label="Copy the link of this interview">{_LINK}
<span class="words">Copy link</span></button>
<button type="button" data-viva="theme" aria-label="Switch between light and dark">{_THEME}</button>
</div></header><div id="viva-moved" class="viva-notice" role="status" hidden><span></span>
<button type="button" class="viva-button" data-viva="again">Show where it stands</button></div>
<div id="viva-said" class="viva-hidden" role="status" aria-live="polite"></div>"""
LIBRARY = (
    """<div class="viva-hero small"><h1>Library</h1><p>Questions and study notes, found by what they mean.</p></div>"""
)
DELETE = """<h2>Delete this interview</h2><p>The one on the Interview tab: its answers, code, verdicts and report are
removed from this server at once, and its link opens nothing any more.</p>"""
HISTORY = """<div class="viva-hero small"><h1>History</h1><p>Interviews that were started or opened in this browser. The
list is kept here and nowhere else; whoever uses this browser can open them.</p></div>"""
PROFILE = """<h2>Keep my progress</h2><p>Scores by topic over time, and what you missed comes back when it is due. There
is no account: a private link opens it, and this browser keeps that link. New interviews then belong to it.</p>"""
PROFILE_LINK = """<p>It is shown this once. Keep it like a password: whoever has it sees your progress, on any device,
and can delete it. Without it nobody can, not even we.</p>
<p><button type="button" class="viva-button" data-viva="profile-link">Copy the link</button></p>"""
PROFILE_OFFERED = """<h2>This link opens kept progress</h2><p>Used in this browser, new interviews belong to it, and
whoever has the link sees them. Do so only if it is yours.</p>"""
HERO = """<div class="viva-hero"><h1>The interview before the interview.</h1>
<p>Viva asks, listens, runs your code, and asks again where something was missing. Every point it credits is backed by
your own words or by a case your code passed.</p></div>"""
HOW = """<h2>How it goes</h2><ol class="viva-steps">
<li><span><b>A question.</b> Explain it in your own words, as you would across the table.</span></li>
<li><span><b>Code, where it belongs.</b> Your submission runs in a sandbox, on inputs you do not see.</span></li>
<li><span><b>A follow-up</b> on the most valuable thing that was missing.</span></li>
<li><span><b>A report</b> with what was met, what was not, why it matters, and a model answer.</span></li></ol>"""
SEND, HINT, SKIP, NEXT, FINISH, END = "Send answer", "Hint", "Skip", "Next question", "Finish", "End interview"
PAUSE, RESUME = "Pause", "Resume"
DISPUTE, LOOK_AGAIN = "That verdict is wrong", "Look again"
SUBMIT, TRY, CANCEL = "Submit code", "Run visible case", "Stop"
AGREE, REFUSE = "Yes, send them", "No, judge on this server"
_FORMATS = {"html": "Download report", "md": "Markdown", "json": "JSON", "pdf": "PDF"}
MODES = """<p class="viva-small">Practice gives feedback after each question, hints, and five submissions of code.
An exam gives one submission, and its feedback at the end.</p>"""
EDITOR_KEYS = (
    '<p class="viva-keys"><kbd>Ctrl</kbd> <kbd>Enter</kbd> submits, <kbd>Tab</kbd> indents, '
    "<kbd>Shift</kbd> too runs the visible case, <kbd>Esc</kbd> leaves the editor</p>"
)
FOOT = '<p class="viva-foot">A practice aid. It scores answers to its own questions; hire nobody by it.</p>'


def _stored(facts: Facts) -> str:
    if facts.on_space:
        return "stored in this container and gone with it: export what you want to keep"
    days = "1 day" if facts.retention_days == 1 else f"{facts.retention_days} days"
    return f"stored on this server for {days}"


def _isolation(sandbox: SandboxStatus | None) -> str:
    if sandbox is None:
        return "<span>Sandbox: being probed</span>"
    devices = ", ".join(sandbox.devices)
    return f"<span>Code runs at isolation <b>{html(sandbox.level)}</b> on {html(devices)}</span>"


def facts_line(facts: Facts) -> str:
    """One line: which judge, sandbox level and device are at work, and what is stored for how long."""
    return (
        f'<div class="viva-facts"><span>Judge: <b>{html(facts.judge)}</b></span>{_isolation(facts.sandbox)}'
        f"<span>Answers are {html(_stored(facts))}</span></div>"
    )


def loading_line(state: LoadState) -> str:
    """What is still loading, or what could not be loaded. Empty when all is well."""
    lines = []
    if state.waiting:
        first, rest = state.waiting[0], state.waiting[1:]
        then = f", then {', '.join(rest)}" if rest else ""
        lines.append(
            f'<div class="viva-loading"><span class="viva-dot" aria-hidden="true"></span><span>Loading {html(first)}'
            f"{html(then)}. You can already begin; what needs it waits.</span></div>"
        )
    lines += [
        f'<div class="viva-loading failed"><span>{html(name)} could not be loaded: {html(reason)}</span></div>'
        for name, reason in state.failed
    ]
    return "".join(lines)


def notice(text: str, *, bad: bool = False) -> str:
    """A message to the person, or nothing."""
    return f'<div class="viva-notice{" bad" if bad else ""}">{html(text)}</div>' if text else ""


def consent(provider: str) -> str:
    """The question whether words may leave this server, asked once in each interview. Empty without a provider."""
    if not provider:
        return ""
    return (
        f'<div class="viva-ask"><h3>Before your first answer</h3><p>Your answers would be judged by the language model '
        f"<b>{html(provider)}</b>: they leave this server for its provider, with the question and its rubric. Without "
        "that, the local judge on this server does it. Code always runs here.</p></div>"
    )


def about(facts: Facts) -> str:
    """The About panel: in plain words, what is at work and what happens to what you write."""
    sandbox = facts.sandbox
    code = sandbox.sentence if sandbox else "The sandbox is being probed."
    if sandbox and sandbox.missing:
        code += f" Not available on this machine: {', '.join(sandbox.missing)}."
    count = f"{facts.questions} questions on {len(facts.topics)} topics" if facts.questions else "Questions"
    keep = (
        "On this Space the disk is temporary: history ends with the container. Export the session as JSON to keep it, "
        "and import it again later."
        if facts.on_space
        else f"Your interview is {_stored(facts)}, as it goes: after a crash or a closed tab its link opens it again."
    )
    sections = (
        ("Who judges", f"{facts.judge}. Each rubric point gets a verdict with a quote from your answer; the score is "
         "added up from the verdicts. What could not be judged is marked as not graded and never counts against you."),
        *((("Other judges", " ".join(facts.unused)),) if facts.unused else ()),
        ("Where code runs", code),
        ("What is asked", f"{count}, found by meaning in an index that is built from the bank at the first start."),
        *((("Speaking", facts.speech),) if facts.speech else ()),
        ("What is stored", f"{keep} There is no account: whoever has the link can read the interview, so treat it like "
         "a password. Delete it below, and it is gone at once. Progress that you chose to keep (History tab) is stored "
         "under a private link of its own, of which this server has only a hash. Drafts of what you write and the list "
         "of interviews "
         "are kept in this browser alone, which sends nothing to any other server."),
        ("What leaves this server", f"Your words, to {facts.provider}, and only in interviews where you agreed to that."
         if facts.provider else "No written word and no code. Where speaking uses a service, it is named above."),
        ("Keyboard", "Ctrl and Enter sends an answer; inside the editor it submits the code, with Shift it runs the "
         "visible case. Tab indents in the editor, and Esc leaves it. Enter searches the library."),
        ("What it is for", "Practice. It knows only its own questions and rubrics, and is no basis for hiring anyone."),
    )  # fmt: skip
    head = '<div class="viva-hero small"><h1>About</h1><p>Who judges, where code runs, what is stored.</p></div>'
    return head + '<div class="viva-about">' + "".join(
        f"<section><h2>{html(name)}</h2><p>{html(text)}</p></section>" for name, text in sections
    ) + "</div>"  # fmt: skip


def report_head(session_id: str, formats: Sequence[str], off: Mapping[str, str] | None = None) -> str:
    """Above the report: its downloads, as links that a keyboard reaches. `session_id` is 32 hexadecimal digits.

    `off` tells why a format cannot be made on this machine; it gets a sentence in place of a link.
    """
    files = [(f"report.{kind}", _FORMATS.get(kind, kind.upper())) for kind in formats if not (off or {}).get(kind)] + [
        ("session.json", "Export session")
    ]
    links = "".join(
        f'<a class="viva-button{"" if number else " first"}" href="session/{html(session_id)}/{name}" '
        f'download="viva-{name}">{label}</a>'
        for number, (name, label) in enumerate(files)
    )
    why = "".join(f'<p class="viva-small">{html(text)}</p>' for text in (off or {}).values())
    return (
        '<div class="viva-report-head"><div><h1>Your report</h1><p>Made from the stored interview alone: the same '
        f'interview always gives the same report.</p>{why}</div><div class="viva-downloads">{links}</div></div>'
    )


def frame(document: str) -> str:
    """The report inside a frame that may do nothing but open a link to a source in a tab of its own: no script, no
    form, no same origin."""
    rights = "allow-popups allow-popups-to-escape-sandbox"
    return f'<iframe class="viva-frame" title="Report" sandbox="{rights}" srcdoc="{html(document)}"></iframe>'
