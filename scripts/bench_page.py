"""Time to page: from process start until the page is served, Viva against a bare Gradio page, in turns.

`python scripts/bench_page.py --rounds 5 [--browser] [--json]`. With --browser also until Chromium shows the first
control. Seconds of wall time; medians over the rounds. A page within one second of the bare one is the promise.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PROMISE = 1.0  # seconds over the bare page
BARE = (
    "import os, gradio as gr\n"
    "with gr.Blocks() as page: gr.Button('Start', elem_id='start')\n"
    "page.launch(server_port=int(os.environ['VIVA_PORT']), quiet=True, ssr_mode=False)\n"
)
COMMANDS = {"bare": [sys.executable, "-c", BARE], "viva": [sys.executable, "app.py"]}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for_page(url: str, process: subprocess.Popen[bytes]) -> None:
    while True:
        try:
            with urllib.request.urlopen(url, timeout=30) as answer:  # noqa: S310 - our own loopback address
                answer.read()
                return
        except (urllib.error.URLError, ConnectionError):
            if process.poll() is not None:
                raise SystemExit(f"the server ended with {process.returncode}") from None
            time.sleep(0.02)  # a poll of another process: the time to its first answer is what is measured


def measure(command: list[str], browser: Any = None) -> dict[str, float]:
    """Seconds from the start of the command until its page is served ("served") and shown ("shown", with a browser)."""
    port = _free_port()
    with tempfile.TemporaryDirectory() as data:
        offline = {
            "GRADIO_ANALYTICS_ENABLED": "False",
            "HF_HUB_OFFLINE": "1",
            "VIVA_DATA": data,
            "VIVA_PORT": str(port),
        }
        began = time.perf_counter()
        process = subprocess.Popen(command, cwd=ROOT, env=os.environ | offline, stdout=subprocess.DEVNULL)
        try:
            url = f"http://127.0.0.1:{port}/"
            _wait_for_page(url, process)
            times = {"served": time.perf_counter() - began}
            if browser is not None:
                page = browser.new_page()
                page.goto(url)
                page.locator("#start").wait_for(timeout=120_000)
                times["shown"] = time.perf_counter() - began
                page.close()
        finally:
            process.terminate()
            process.wait(30)
    return times


def compare(rounds: int, browser: Any = None) -> dict[str, dict[str, float]]:
    """Medians of both pages, measured in turns so that other load on the machine meets both."""
    found: dict[str, list[dict[str, float]]] = {name: [] for name in COMMANDS}
    for _ in range(rounds):
        for name, command in COMMANDS.items():
            found[name].append(measure(command, browser))
    medians = {
        name: {key: statistics.median(t[key] for t in times) for key in times[0]} for name, times in found.items()
    }
    medians["difference"] = {key: medians["viva"][key] - medians["bare"][key] for key in medians["bare"]}
    return medians


def main() -> int:
    """Print both, and 1 where Viva's page is served more than a second after the bare one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--browser", action="store_true", help="also time until Chromium shows the first control")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.browser:
        from playwright.sync_api import sync_playwright

        with sync_playwright() as playwright:
            path = shutil.which("chromium") or shutil.which("google-chrome")
            found = compare(options.rounds, playwright.chromium.launch(executable_path=path, args=["--no-sandbox"]))
    else:
        found = compare(options.rounds)
    if options.json:
        print(json.dumps(found, indent=1))
    else:
        for name, times in found.items():
            print(f"{name:>10}  " + "  ".join(f"{key} {seconds:6.2f} s" for key, seconds in times.items()))
    return 0 if found["difference"]["served"] <= PROMISE else 1


if __name__ == "__main__":
    sys.exit(main())
