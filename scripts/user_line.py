"""Prints a line for a users file (VIVA_USERS): `python scripts/user_line.py NAME >> users`. Asks for the password."""

from __future__ import annotations

import getpass
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ui.login import hashed


def main() -> int:
    """Ask, and print NAME:scrypt:SALT:HASH."""
    if len(sys.argv) != 2 or not sys.argv[1].strip() or ":" in sys.argv[1]:
        print(__doc__, file=sys.stderr)
        return 2
    password = getpass.getpass(f"Password of {sys.argv[1]}: ") if sys.stdin.isatty() else sys.stdin.readline().rstrip()
    print(f"{sys.argv[1]}:{hashed(password)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
