"""Which isolation this machine allows, found by building a box for each plan, strongest first, and attacking it."""

from __future__ import annotations

import os
import platform
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from domain import CandidateError, Framework, SandboxStatus, UserError
from sandbox import cgroups, kernel, probe
from sandbox.channel import Channel
from sandbox.client import RemoteBox
from sandbox.endings import RunEnded
from sandbox.plan import LEVELS, Limits, Plan
from sandbox.seccomp import ARCHITECTURES
from sandbox.servers import ForkServer, IdleBox, Setup

REFUSE = "refuse"
PROBE_SECONDS = 10.0


@dataclass(frozen=True)
class Found:
    """The plan in force, or None where nothing may run, with the words for it."""

    plan: Plan | None
    status: SandboxStatus


def candidates(limits: Limits, only: str = "") -> Iterator[Plan]:
    """Plans worth trying here, strongest first; `only` keeps those of one level."""
    landlock = kernel.landlock_version() > 0
    groups = cgroups.find()
    own_users = (True, False) if os.geteuid() == 0 else (False,)
    plans: list[Plan] = []
    for confined in (True, False) if landlock else (False,):
        if os.geteuid() == 0:
            if groups:
                plans.append(Plan(True, False, True, groups, confined, limits=limits))
            plans.append(Plan(True, False, True, (), confined, limits=limits))
        plans.append(Plan(True, True, False, (), confined, limits=limits))
        if confined:
            plans += [Plan(own_uid=own, landlock=True, limits=limits) for own in own_users]
    plans += [Plan(own_uid=own, seal=True, limits=limits) for own in own_users]
    order = {level: place for place, level in enumerate(LEVELS)}
    for plan in sorted(plans, key=lambda plan: order[plan.level]):
        if not only or (plan.level == only and _is_plain(plan)):
            yield plan


def _is_plain(plan: Plan) -> bool:
    """Whether the plan has what its level asks for and no more: as on a machine where nothing better is to be had."""
    return plan.level == "L3" or not (plan.own_uid or plan.cgroups or (plan.level == "L0" and plan.namespaces))


def find(folder: str, name: str, limits: Limits, require: str = "", only: str = "") -> Found:
    """The strongest plan that holds on this machine. `require` is the lowest level to accept."""
    reasons: list[str] = []
    if platform.machine() not in ARCHITECTURES:
        return _refuse(f"no system call filter is known for {platform.machine()}", reasons)
    for plan in candidates(limits, only):
        try:
            escaped = _attack(plan, folder, name)
        except UserError as error:
            reasons.append(f"{plan.level}: {error}")
            continue
        if escaped:
            reasons.append(f"{plan.level}: not held: {', '.join(escaped)}")
            continue
        if require and LEVELS.index(plan.level) > LEVELS.index(require):
            return _refuse(f"this machine allows level {plan.level} and the settings require {require}", reasons)
        return Found(plan, _status(plan, reasons))
    return _refuse("no level of isolation works on this machine", reasons)


def _attack(plan: Plan, folder: str, name: str) -> list[str]:
    """Build a real box after the plan and try to get out. Returns the attacks that succeeded."""
    server = ForkServer(Setup("none", plan.to_json(), folder, name))
    try:
        idle = IdleBox.make(server)
        channel = Channel(idle.rpc.detach(), idle.output, idle.lifeline.detach())
        box = RemoteBox(channel, Framework.PYTORCH, "")
        try:
            channel.start(PROBE_SECONDS)
            with tempfile.NamedTemporaryFile(dir=folder, prefix="secret-") as secret:
                secret.write(b"secret")
                secret.flush()
                attack = box.define(probe.SOURCE, "attack")
                found = box.call(attack, secret.name, os.getpid(), server.pid, not plan.namespaces, plan.seal)
        except (RunEnded, CandidateError) as error:
            raise UserError(f"the trial box failed: {error}") from None
        finally:
            box.close()
    finally:
        server.close()
    if not isinstance(found, list) or len(found) < 2 or found[0] != "alive":
        raise UserError("the trial box did not answer")
    return [str(item) for item in found[1:] if item != "end"]


def _layers(plan: Plan) -> tuple[tuple[str, bool], ...]:
    return (
        ("own namespaces", plan.namespaces),
        ("read-only root", plan.namespaces),
        ("a user of its own", plan.own_uid),
        ("memory and process limits by control group", bool(plan.cgroups)),
        ("Landlock", plan.landlock),
        ("system call filter", True),
        ("no processes, no sockets", not plan.namespaces),
        ("no file access by path", plan.seal),
        ("memory watchdog", not plan.cgroups),
        ("resource limits", True),
    )


def _status(plan: Plan, reasons: list[str]) -> SandboxStatus:
    layers = tuple(name for name, there in _layers(plan) if there)
    wanted = ("own namespaces", "read-only root", "a user of its own", "memory and process limits by control group")
    missing = [name for name in (*wanted, "Landlock") if name not in layers]
    sentence = f"Submitted code runs at isolation level {plan.level} ({', '.join(layers)})"
    sentence += f"; not available here: {', '.join(missing)}." if missing else "."
    if plan.seal:
        sentence += " Code that opens files fails here."
    return SandboxStatus(plan.level, layers, (*missing, *reasons), sentence)


def _refuse(why: str, reasons: list[str]) -> Found:
    return Found(None, SandboxStatus(REFUSE, (), tuple(reasons), f"Submitted code is not run: {why}."))


def make_folder() -> str:
    """A folder of this instance's own, with an empty one inside to build private roots on."""
    folder = tempfile.mkdtemp(prefix=f"viva-{os.getpid()}-")
    os.chmod(folder, 0o711)  # noqa: PTH101, S103  (a box of another user passes through it to its own folder)
    (Path(folder) / "root").mkdir()
    return folder
