"""The lines that say what is at work."""

from __future__ import annotations

from domain import SandboxStatus
from ui.http import content_security_policy, health
from ui.loading import Loading, Step
from ui.parts import Facts, Parts
from ui.words import about, facts_line, frame, notice, report_head

BOX = SandboxStatus("L1", ("seccomp",), ("namespaces", "<cgroup>"), "Code runs behind filters.", ("cpu", "cuda:0"))
HERE = Facts("local judge (a <model>)", BOX, 30, topics=("autograd",), questions=6)
SPACE = Facts("local judge", None, 30, on_space=True)


def test_one_line_names_judge_sandbox_device_and_storage() -> None:
    line = facts_line(HERE)
    for words in ("local judge (a &lt;model&gt;)", "<b>L1</b> on cpu, cuda:0", "stored on this server for 30 days"):
        assert words in line
    assert "1 day<" in facts_line(Facts("j", BOX, 1)).replace(" days", "")


def test_before_the_sandbox_is_known_the_page_says_so() -> None:
    assert "being probed" in facts_line(SPACE)
    assert "being probed" in about(SPACE)


def test_on_a_space_history_ends_with_the_container() -> None:
    assert "gone with it" in facts_line(SPACE)
    assert "history ends with the container" in about(SPACE)
    assert "container" not in facts_line(HERE)


def test_about_tells_what_is_missing_and_what_it_is_for() -> None:
    panel = about(HERE)
    for words in ("Code runs behind filters.", "namespaces, &lt;cgroup&gt;", "6 questions", "no basis for hiring"):
        assert words in panel


def test_a_notice_is_escaped_and_none_is_nothing() -> None:
    assert "&lt;b&gt;" in notice("<b>", bad=True)
    assert notice("") == ""


def test_the_report_frame_may_only_open_links_and_holds_the_page_as_an_attribute() -> None:
    shown = frame('<p title="x">')
    assert 'sandbox="allow-popups allow-popups-to-escape-sandbox"' in shown
    assert 'srcdoc="&lt;p title=&quot;x&quot;&gt;"' in shown


def test_each_format_has_its_download() -> None:
    head = report_head("0" * 32, ["html", "md", "json"])
    for name in ("report.html", "report.md", "report.json", "session.json"):
        assert f'href="session/{"0" * 32}/{name}"' in head


def test_health_tells_nothing_of_any_session() -> None:
    loading = Loading([Step("the model", lambda: None)])
    told = health(Parts(lambda: None, lambda: SPACE, loading, {}))  # type: ignore[arg-type,return-value]
    assert told["status"] == "loading"
    assert told["sandbox"] is None
    assert set(told) == {"status", "loaded", "loading", "failed", "judge", "sandbox", "questions"}


def test_only_frame_ancestors_come_from_the_settings() -> None:
    policy = content_security_policy("'self' https://huggingface.co")
    assert policy.endswith("frame-ancestors 'self' https://huggingface.co")
    assert policy.count("https:") == 1
