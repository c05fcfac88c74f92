"""Sandboxes for attacks: the whole product, but boxes that import no framework, so that every level starts quickly."""

from __future__ import annotations

import ast
import os
import site
import sys
from pathlib import Path

from domain import Framework, RunReport, Submission
from sandbox.backend import Sandbox
from sandbox.plan import Limits

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
ATTACKS = HERE / "attacks"
CHECKS = HERE / "checks"
LIMITS = Limits(seconds=4.0, memory=256 << 20, folder_megabytes=16, folder_files=512)
RIGHT = "def double(x):\n    return x * 2\n"


class PlainSandbox(Sandbox):
    """Boxes with numpy alone."""

    def role(self, framework: Framework) -> str:
        """No framework."""
        return "none"

    def check(self, code: str, name: str = "double", seed: int = 0) -> RunReport:
        """Run a submission against one of the checks beside this file."""
        return self.run(Submission(code, Framework.PYTORCH, CHECKS / f"{name}.py", seed))

    def script(self, code: str) -> RunReport:
        """Run code as it is."""
        return self.run(Submission(code, Framework.PYTORCH))


def attack_names(file: str) -> list[str]:
    """The attacks in a file, without running it."""
    tree = ast.parse((ATTACKS / f"{file}.attack").read_text())
    found = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    return [name for name in found if name.startswith("attack_")]


def attack_source(file: str, secret: Path, **more: str) -> str:
    """The helpers and the attacks, with what they aim at filled in."""
    library = next((path for path in sys.path if path.endswith("site-packages")), site.getsitepackages()[0])
    text = (ATTACKS / "helpers.attack").read_text() + (ATTACKS / f"{file}.attack").read_text()
    values = {"SERVICE": str(os.getpid()), "SECRET": str(secret), "ROOT": str(ROOT), "LIBRARY": library} | more
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    return text
