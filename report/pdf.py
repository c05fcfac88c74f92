"""Renders a report as PDF through WeasyPrint, where that and Debian's pango are installed."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from domain import UserError
from report.html import render_print
from report.model import Report


def unavailable() -> str:
    """Why PDF is off on this machine, in a sentence to show; "" where it works."""
    try:
        _weasyprint()
    except UserError as error:
        return str(error)
    return ""


def render_pdf(report: Report) -> bytes:
    """The page as PDF. No address is ever opened. Raises UserError where PDF is off, saying why."""
    html = _weasyprint()
    page = html(string=render_print(report), base_url=None, url_fetcher=NoAddress(), media_type="print")
    content = page.write_pdf(pdf_identifier=report.public_id.encode(), uncompressed_pdf=False)
    assert isinstance(content, bytes)
    return content


def _weasyprint() -> Callable[..., Any]:
    try:
        return importlib.import_module("weasyprint").HTML  # type: ignore[no-any-return]
    except ImportError:
        raise UserError(
            "PDF is off: WeasyPrint is not installed. Install it with `pip install weasyprint`, or print the HTML "
            "report from a browser."
        ) from None
    except OSError as error:  # the package is there, and a library that it loads is not
        raise UserError(
            f"PDF is off: WeasyPrint cannot load a library that it needs ({error}). On Debian, `apt-get install "
            "libpango-1.0-0 libpangoft2-1.0-0` brings it; or print the HTML report from a browser."
        ) from None


class NoAddress:
    """In place of WeasyPrint's fetcher: refuses every address, also of files and of data."""

    _fail_on_errors = False

    def __call__(self, url: str) -> object:
        raise ValueError(f"a report opens no address, and was asked for {url[:80]}")
