"""Settings: defaults, what each variable does, and errors that name the variable."""

from __future__ import annotations

from pathlib import Path

import pytest

from domain import UserError
from settings import ROOT, from_environment


def test_nothing_set_is_local_and_offline() -> None:
    settings = from_environment({})
    assert (settings.host, settings.port, settings.data) == ("127.0.0.1", 7860, ROOT / "data")
    assert settings.llm == "" and settings.embeddings == ""
    assert settings.frame_ancestors == "'self'"
    assert settings.bank is None
    assert from_environment({"VIVA_BANK": "own"}).bank == Path("own").resolve()


def test_a_space_listens_on_all_addresses_and_may_be_framed_by_hugging_face() -> None:
    settings = from_environment({"SPACE_ID": "someone/viva"})
    assert settings.on_space and settings.host == "0.0.0.0"
    assert "https://huggingface.co" in settings.frame_ancestors


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("VIVA_PORT", "http"),
        ("VIVA_PORT", "70000"),
        ("VIVA_LLM_TIMEOUT", "0"),
        ("VIVA_RETENTION_DAYS", "-1"),
        ("VIVA_SANDBOX_REQUIRE", "L9"),
        ("VIVA_PORT", "nan"),
        ("VIVA_VOICE", "parrot"),
        ("VIVA_SPEECH", "loud"),
    ],
)
def test_a_bad_value_names_its_variable(name: str, value: str) -> None:
    with pytest.raises(UserError, match=name):
        from_environment({name: value})


def test_a_key_never_shows_in_a_printed_setting() -> None:
    settings = from_environment(dict.fromkeys(("VIVA_LLM_KEY", "VIVA_SPEECH_KEY", "VIVA_VOICE_KEY"), "sk-secret"))
    assert settings.llm_key == settings.speech_key == settings.voice_key == "sk-secret"
    assert "sk-secret" not in repr(settings)


def test_a_login_is_off_unless_it_is_set_and_its_password_never_printed() -> None:
    assert not from_environment({}).password
    assert from_environment({}).users is None
    settings = from_environment({"VIVA_PASSWORD": "open sesame", "VIVA_USERS": "/etc/viva-users"})
    assert settings.password == "open sesame"
    assert str(settings.users) == "/etc/viva-users"
    assert "sesame" not in repr(settings)
