"""What others wrote, on its way into the page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ui.text import LONGEST_SHOWN, defuse, fenced, html


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("<b>bold</b>", "&lt;b>bold&lt;/b>"),
        ("a `<b>` b", "a `<b>` b"),
        ("``a ` <b>`` <i>", "``a ` <b>`` &lt;i>"),
        ("![a](http://192.0.2.1/x.png)", "!&#91;a](http://192.0.2.1/x.png)"),
        ("![a][b]", "!&#91;a][b]"),
        ("[a](javascript:b) [c](https://d)", "[a]&#40;javascript:b) [c](https://d)"),
        ("[a]( data:b) [c](#d)", "[a]&#40; data:b) [c](#d)"),
        ("[r]: http://192.0.2.1/q.png", "&#91;r]: http://192.0.2.1/q.png"),
        (r"\<b> \\<b>", r"\<b> \\&lt;b>"),
        ("a < b", "a &lt; b"),
        ("**bold** and $x^2$", "**bold** and $x^2$"),
        ("```mermaid\ngraph <b>\n```", "```text\ngraph <b>\n```"),
        ("```python {onload=1}\nx < 1\n```\n<b>", "```python\nx < 1\n```\n&lt;b>"),
        ("~~~\n<b>\n```\n~~~\n<b>", "~~~\n<b>\n```\n~~~\n&lt;b>"),
        ("```\nnever closed <b>", "```\nnever closed <b>\n```"),
    ],
)
def test_markup_becomes_text_and_code_stays(written: str, shown: str) -> None:
    assert defuse(written) == shown


def test_lines_of_a_candidate_end_where_they_ended_them() -> None:
    assert defuse("one\ntwo\n\nthree", breaks=True) == "one  \ntwo\n\nthree"
    assert defuse("```\none\ntwo\n```", breaks=True) == "```\none\ntwo\n```"
    assert defuse("one\ntwo") == "one\ntwo"


def test_a_long_text_is_cut_and_says_so() -> None:
    shown = defuse("x" * (LONGEST_SHOWN + 1234))
    assert len(shown) < LONGEST_SHOWN + 100
    assert "1,234 more characters" in shown


@given(st.text(alphabet="`~<>![]()\\\n ab/&\"'$", max_size=60))
def test_no_html_or_image_survives_a_markdown_renderer(text: str) -> None:
    rendered = MarkdownIt("commonmark", {"html": True}).parse(defuse(text))
    tokens = [token for block in rendered for token in (block, *(block.children or ()))]
    assert not {"html_block", "html_inline", "image"} & {token.type for token in tokens}


@given(st.text(alphabet="`~\n a", max_size=40))
def test_code_cannot_leave_its_fence(code: str) -> None:
    blocks = MarkdownIt("commonmark").parse(fenced(code))
    assert [block.type for block in blocks] == ["fence"]


def test_attributes_are_escaped() -> None:
    assert html("\"'<&") == "&quot;&#x27;&lt;&amp;"
