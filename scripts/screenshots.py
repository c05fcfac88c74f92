"""Makes the README's screenshots from a running page: `python scripts/screenshots.py [--out docs/images]`.

Starts a server with a data folder of its own, holds a short interview with the bank's own submissions, and photographs
the page on a desktop in light colours, on a phone in dark ones, and the report.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from knowledge.questions import Bank, load_bank  # noqa: E402
from tests.ui.serving import Server  # noqa: E402
from tests.ui.visitor import Visitor  # noqa: E402

ANSWER = (
    "Once `requires_grad` is set, every operation on the tensor is recorded in a graph while the forward pass runs. "
    "`backward()` starts at the output and applies the chain rule from the output back to the leaves:\n\n"
    "$$\\frac{\\partial L}{\\partial x} = \\frac{\\partial L}{\\partial y}\\,\\frac{\\partial y}{\\partial x}$$\n\n"
    "The gradients end up in `.grad` of the leaf tensors, where they are added to what is already there."
)


def _to_code(person: Visitor, bank: Bank, *, right: bool) -> None:
    while (question := person.start_with_code(bank, questions=2)).id != "grad_at":
        pass
    wrong = bank.submissions(question.id, "wrong")[0].read_text().splitlines(keepends=True)
    person.submit("".join(line for line in wrong if not line.startswith("#")))
    if right:
        person.submit(bank.submissions(question.id, "right")[0].read_text())
        person.answer(ANSWER)


def _photograph(person: Visitor, path: Path) -> None:
    person.page.evaluate("scrollTo(0, 0)")
    person.page.wait_for_timeout(800)  # what moves has come to rest
    person.page.screenshot(path=path)


def photograph(browser: Browser, server: Server, out: Path) -> None:
    """Write page.png, page-phone-dark.png, setup.png and report.png."""
    bank = load_bank()
    desktop = Visitor(browser, server.url, width=1440, height=900)
    desktop.open()
    server.wait_until_loaded()
    desktop.page.locator("#viva-loading").wait_for(state="hidden")
    desktop.page.screenshot(path=out / "setup.png")
    _to_code(desktop, bank, right=True)
    _photograph(desktop, out / "page.png")
    desktop.finish()
    desktop.page.locator(".viva-frame").wait_for()
    _photograph(desktop, out / "report.png")
    desktop.close()
    phone = Visitor(browser, server.url, width=390, height=844, dark=True)
    _to_code(phone, bank, right=False)
    _photograph(phone, out / "page-phone-dark.png")
    phone.close()


def main() -> int:
    """Start, photograph, stop."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "images")
    out: Path = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    path = shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder) / "data")
        server.start()
        try:
            browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
            photograph(browser, server, out)
        finally:
            server.stop()
    print(f"Wrote {', '.join(sorted(file.name for file in out.glob('*.png')))} in {out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
