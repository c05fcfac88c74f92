"""The commands that speak: `python -m speech say` and `python -m speech terms`."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from domain import Recogniser, UserError, Voice
from speech.heard import check
from speech.spoken import sentences
from speech.voice import HibariVoice, join
from speech.voice_endpoint import EndpointVoice


def voice(chosen: str, model: str, speaker: str, base_url: str, key: str) -> Voice:
    """The voice of the settings; for the browser's own, which only a browser has, this machine's."""
    return EndpointVoice(model, speaker, base_url, key) if chosen == "endpoint" else HibariVoice()


def say(speaker: Voice, text: str, output: str = "", as_json: bool = False) -> int:
    """Speak a Markdown text ("-": standard input) into a WAV file, if one is named, and print what was said."""
    text = sys.stdin.read() if text == "-" else text
    said = sentences(text)
    if not said:
        raise UserError("There is nothing in this text to say.")
    speaker.load()
    start = time.perf_counter()
    sounds, first = [], 0.0
    for sound in speaker.say(text):
        sounds.append(sound)
        first = first or time.perf_counter() - start
    took = time.perf_counter() - start
    file, seconds = join(sounds)
    if output:
        Path(output).write_bytes(file)
    told = {
        "voice": speaker.name,
        "sentences": said,
        "seconds": round(seconds, 2),
        "first_sound_after": round(first, 3),
        "real_time_factor": round(took / seconds, 3),
    }
    if as_json:
        print(json.dumps(told, indent=2, ensure_ascii=False))
    else:
        print("\n".join(said))
        print(f"{speaker.name}: {seconds:.1f} s of speech, the first sound after {first:.2f} s, all after {took:.2f} s")
    return 0


def terms(
    speaker: Voice, listener: Recogniser, chosen: Sequence[str] = (), *, control: bool = False, as_json: bool = False
) -> int:
    """Say each term of the pronunciation table and recognise it back; 1 where one was not understood."""
    found = []
    for term in check(speaker, listener, chosen, control=control):
        found.append(term)
        if not as_json:
            print(f"{'ok ' if term.understood else 'NOT'}  {term.term:26} {term.text}", flush=True)
    understood = sum(term.understood for term in found)
    wrong = sum(term.control for term in found)
    told = {
        "voice": speaker.name,
        "recogniser": listener.name,
        "terms": len(found),
        "understood": round(understood / len(found), 3),
        "not_understood": {term.term: term.text for term in found if not term.understood},
        "understood_where_not_said": wrong if control else None,
    }
    if as_json:
        print(json.dumps(told, indent=2, ensure_ascii=False))
    else:
        where = f"; {wrong} were understood where another was said" if control else ""
        print(f"{understood} of {len(found)} terms understood by {listener.name}{where}")
    return 0 if understood == len(found) and not wrong else 1
