"""Every setting of Viva, read from the environment once. Only composition roots import this module."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from domain import UserError

ROOT = Path(__file__).resolve().parent
LEVELS = ("L0", "L1", "L2", "L3")
VOICES = ("hibari", "browser", "endpoint", "off")


@dataclass(frozen=True)
class Settings:
    """What a person who runs Viva can choose. The README's table of settings lists the same names."""

    host: str = "127.0.0.1"
    port: int = 7860
    data: Path = ROOT / "data"
    llm: str = ""
    llm_base_url: str = ""
    llm_key: str = field(default="", repr=False)
    llm_timeout: float = 30.0
    llm_daily_tokens: int = 0
    embeddings: str = ""
    speech: str = "auto"
    speech_model: str = ""
    speech_base_url: str = ""
    speech_key: str = field(default="", repr=False)
    voice: str = "hibari"
    voice_model: str = "gpt-4o-mini-tts"
    voice_name: str = "alloy"
    voice_base_url: str = ""
    voice_key: str = field(default="", repr=False)
    bank: Path | None = None
    sandbox_require: str = ""
    tf_python: str = ""
    frame_ancestors: str = "'self'"
    mcp: bool = False
    retention_days: int = 30
    on_space: bool = False
    password: str = field(default="", repr=False)
    users: Path | None = None
    behind_proxy: bool = False
    interviewer_key: str = field(default="", repr=False)


def _number(environment: Mapping[str, str], name: str, default: float, low: float, high: float) -> float:
    text = environment.get(name, "").strip()
    if not text:
        return default
    try:
        number = float(text)
    except ValueError:
        raise UserError(f"{name} must be a number, and is {text!r}.") from None
    if not low <= number <= high:
        raise UserError(f"{name} must be from {low:g} to {high:g}, and is {text}.")
    return number


def _switch(environment: Mapping[str, str], name: str) -> bool:
    text = environment.get(name, "").strip().lower()
    if text not in ("", "0", "1", "no", "yes", "off", "on", "false", "true"):
        raise UserError(f"{name} must be 1 or 0, and is {text!r}.")
    return text in ("1", "yes", "on", "true")


def from_environment(environment: Mapping[str, str] | None = None) -> Settings:
    """Read the settings. Raises UserError that names the variable at fault."""
    env = os.environ if environment is None else environment
    on_space = bool(env.get("SPACE_ID"))
    require = env.get("VIVA_SANDBOX_REQUIRE", "").strip().upper()
    if require and require not in LEVELS:
        raise UserError(f"VIVA_SANDBOX_REQUIRE must be one of {', '.join(LEVELS)}, and is {require!r}.")
    speech = env.get("VIVA_SPEECH", "").strip().lower() or "auto"
    if speech not in ("auto", "off"):
        raise UserError(f"VIVA_SPEECH must be auto or off, and is {speech!r}. VIVA_SPEECH_MODEL chooses the model.")
    voice = env.get("VIVA_VOICE", "").strip().lower() or "hibari"
    if voice not in VOICES:
        raise UserError(f"VIVA_VOICE must be one of {', '.join(VOICES)}, and is {voice!r}.")
    hugging_face = "'self' https://huggingface.co https://*.huggingface.co https://*.hf.space"
    return Settings(
        host=env.get("VIVA_HOST", "").strip() or ("0.0.0.0" if on_space else "127.0.0.1"),  # noqa: S104
        port=int(_number(env, "VIVA_PORT", 7860, 0, 65535)),
        data=Path(env.get("VIVA_DATA", "").strip() or ROOT / "data").expanduser().resolve(),
        llm=env.get("VIVA_LLM", "").strip(),
        llm_base_url=env.get("VIVA_LLM_BASE_URL", "").strip(),
        llm_key=env.get("VIVA_LLM_KEY", "").strip(),
        llm_timeout=_number(env, "VIVA_LLM_TIMEOUT", 30.0, 0.1, 600.0),
        llm_daily_tokens=int(_number(env, "VIVA_LLM_DAILY_TOKENS", 0, 0, 1e12)),
        embeddings=env.get("VIVA_EMBEDDINGS", "").strip(),
        speech=speech,
        speech_model=env.get("VIVA_SPEECH_MODEL", "").strip(),
        speech_base_url=env.get("VIVA_SPEECH_BASE_URL", "").strip(),
        speech_key=env.get("VIVA_SPEECH_KEY", "").strip(),
        voice=voice,
        voice_model=env.get("VIVA_VOICE_MODEL", "").strip() or "gpt-4o-mini-tts",
        voice_name=env.get("VIVA_VOICE_NAME", "").strip() or "alloy",
        voice_base_url=env.get("VIVA_VOICE_BASE_URL", "").strip(),
        voice_key=env.get("VIVA_VOICE_KEY", "").strip(),
        bank=Path(own).expanduser().resolve() if (own := env.get("VIVA_BANK", "").strip()) else None,
        sandbox_require=require,
        tf_python=env.get("VIVA_TF_PYTHON", "").strip(),
        frame_ancestors=env.get("VIVA_FRAME_ANCESTORS", "").strip() or (hugging_face if on_space else "'self'"),
        mcp=_switch(env, "VIVA_MCP"),
        retention_days=int(_number(env, "VIVA_RETENTION_DAYS", 30, 1, 3650)),
        on_space=on_space,
        password=env.get("VIVA_PASSWORD", ""),
        users=Path(users).expanduser().resolve() if (users := env.get("VIVA_USERS", "").strip()) else None,
        behind_proxy=env.get("VIVA_BEHIND_PROXY", "").strip() == "1" or on_space,
        interviewer_key=env.get("VIVA_INTERVIEWER_KEY", "").strip(),
    )


_KEYS = {
    "OPENAI_API_KEY": "VIVA_LLM=openai:gpt-4.1-mini",
    "ANTHROPIC_API_KEY": "VIVA_LLM=anthropic:claude-sonnet-4-5",
    "HF_TOKEN": "VIVA_LLM=openai:MODEL, VIVA_LLM_BASE_URL to Hugging Face's inference router and VIVA_LLM_KEY to it",
}
OLLAMA = ("127.0.0.1", 11434)


def unused_models(chosen: Settings, environment: Mapping[str, str] | None = None) -> list[str]:
    """What a language model could be had with here although none is set: a line each, for the log and the page.

    Names of variables only, never what they hold. Nothing is sent; a port of this machine is tried.
    """
    if chosen.llm:
        return []
    env = os.environ if environment is None else environment
    found = [
        f"{name} is set and not used: nothing leaves this machine unless you set {how}."
        for name, how in _KEYS.items()
        if env.get(name, "").strip()
    ]
    with contextlib.suppress(OSError), socket.create_connection(OLLAMA, timeout=0.2):
        found.append("Ollama answers on this machine and is not used: VIVA_LLM=ollama:MODEL would have it judge.")
    return found
