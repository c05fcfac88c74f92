"""What a box is made of: the layers of isolation in force, the limits, and what they let one box do.

A plan travels as JSON from the service to a fork server, which makes every one of its boxes after it.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import Any

LEVELS = ("L3", "L2", "L1", "L0")


@dataclass(frozen=True)
class Limits:
    """What a submission may use. Seconds of wall time count from its loading; imports of the framework do not."""

    seconds: float = 10.0
    memory: int = 1 << 30
    processes: int = 64
    threads: int = 256
    file_bytes: int = 64 << 20
    folder_megabytes: int = 64
    folder_files: int = 4096
    open_files: int = 256
    gpu_memory: int = 8 << 30


@dataclass(frozen=True)
class Plan:
    """The layers. `user_namespace` is how namespaces are had without root; `own_uid` needs root.

    `seal` denies every path-based file call once the box is warm, for machines where nothing else restricts paths.
    `cgroups` maps "memory", "pids" to the folder under which a box's control group is made ("" in version 2 both).
    """

    namespaces: bool = False
    user_namespace: bool = False
    own_uid: bool = False
    cgroups: tuple[tuple[str, str], ...] = ()
    landlock: bool = False
    seal: bool = False
    limits: Limits = Limits()

    @property
    def level(self) -> str:
        """The highest level whose layers are all there."""
        if self.namespaces and self.landlock:
            return "L3" if self.own_uid and self.cgroups else "L2"
        return "L1" if self.landlock else "L0"

    def to_json(self) -> str:
        """The plan as JSON."""
        return json.dumps(dataclasses.asdict(self))

    @staticmethod
    def from_json(text: str) -> Plan:
        """The plan from its JSON."""
        fields: dict[str, Any] = json.loads(text)
        limits = Limits(**fields.pop("limits"))
        cgroups = tuple((name, folder) for name, folder in fields.pop("cgroups"))
        return Plan(**fields, limits=limits, cgroups=cgroups)
