"""The same endpoints as MCP tools, where the operator switches them on."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client

from tests.ui.serving import Server
from ui.endpoints import NAMES


def test_an_interview_begins_and_ends_through_mcp(tmp_path: Path) -> None:
    server = Server(tmp_path / "data", {"VIVA_MCP": "1"})
    server.start()
    try:
        server.wait_until_loaded()
        # In a thread of its own: a browser that an earlier test opened keeps a loop running in this one.
        with ThreadPoolExecutor(1) as pool:
            tools, answers = pool.submit(asyncio.run, _held(f"{server.url}/gradio_api/mcp/")).result()
        assert {name.removeprefix("Viva_").rpartition("viva_")[2] for name in tools} >= set(NAMES) or all(
            any(name.endswith(wanted) for name in tools) for wanted in NAMES
        )
        assert len(tools) == len(NAMES), tools
        assert "Question 1 of 1" in answers[0]
        assert "ended" in answers[1]
    finally:
        server.kill()  # an open stream of a client may keep a graceful stop waiting


async def _held(url: str) -> tuple[list[str], list[str]]:
    import ast
    import json
    import re

    async with streamablehttp_client(url) as (reading, writing, _), ClientSession(reading, writing) as session:
        await session.initialize()
        tools = [tool.name for tool in (await session.list_tools()).tools]

        async def call(name: str, arguments: dict[str, Any]) -> str:
            tool = next(item for item in tools if item.endswith(name))
            found = await session.call_tool(tool, arguments)
            return "".join(getattr(part, "text", "") for part in found.content)

        begun = await call("start", {"questions": 1, "framework": "pytorch"})
        token = re.search(r"['\"]session['\"]: ['\"]([0-9a-f]{32})", begun)
        assert token is not None, (begun, json, ast)
        ended = await call("stop", {"session": token[1]})
        return tools, [begun, ended]
