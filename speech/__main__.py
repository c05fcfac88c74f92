"""`python -m speech`: hear the voice, and check how the field's terms are said."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import settings
from domain import UserError, Voice


def _voice(chosen: settings.Settings) -> Voice:
    """The voice of the settings; for the browser's own, which only a browser has, this machine's."""
    if chosen.voice == "endpoint":
        from speech.voice_endpoint import EndpointVoice

        return EndpointVoice(chosen.voice_model, chosen.voice_name, chosen.voice_base_url, chosen.voice_key)
    from speech.voice import HibariVoice

    return HibariVoice()


def say(options: argparse.Namespace) -> int:
    """Speak a text into a WAV file, or print what would be said."""
    from speech.spoken import sentences
    from speech.voice import join

    text = sys.stdin.read() if options.text == "-" else options.text
    said = sentences(text)
    if not said:
        raise UserError("There is nothing in this text to say.")
    voice = _voice(settings.from_environment())
    voice.load()
    start = time.perf_counter()
    sounds, first = [], 0.0
    for sound in voice.say(text):
        sounds.append(sound)
        first = first or time.perf_counter() - start
    took = time.perf_counter() - start
    file, seconds = join(sounds)
    if options.output:
        Path(options.output).write_bytes(file)
    told = {
        "voice": voice.name,
        "sentences": said,
        "seconds": round(seconds, 2),
        "first_sound_after": round(first, 3),
        "real_time_factor": round(took / seconds, 3),
    }
    if options.json:
        print(json.dumps(told, indent=2, ensure_ascii=False))
    else:
        print("\n".join(said))
        print(f"{voice.name}: {seconds:.1f} s of speech, the first sound after {first:.2f} s, all after {took:.2f} s")
    return 0


def terms(options: argparse.Namespace) -> int:
    """Say each term of the pronunciation table and recognise it back; 1 where one was not understood."""
    from speech.heard import check
    from speech.recognise import SpeechRecogniser
    from speech.whisper import WhisperEngine

    recogniser = SpeechRecogniser(WhisperEngine())
    found = []
    for term in check(_voice(settings.from_environment()), recogniser, options.term, control=options.control):
        found.append(term)
        if not options.json:
            print(f"{'ok ' if term.understood else 'NOT'}  {term.term:26} {term.text}", flush=True)
    understood = sum(term.understood for term in found)
    wrong = sum(term.control for term in found)
    told = {
        "recogniser": recogniser.name,
        "terms": len(found),
        "understood": round(understood / len(found), 3),
        "not_understood": {term.term: term.text for term in found if not term.understood},
        "understood_where_not_said": wrong if options.control else None,
    }
    if options.json:
        print(json.dumps(told, indent=2, ensure_ascii=False))
    else:
        control = f"; {wrong} were understood where another was said" if options.control else ""
        print(f"{understood} of {len(found)} terms understood by {recogniser.name}{control}")
    return 0 if understood == len(found) and not wrong else 1


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line. Returns the exit status: 0 fine, 1 something was not understood, 2 it could not be done."""
    parser = argparse.ArgumentParser(prog="python -m speech", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    saying = commands.add_parser("say", help="speak a text as the interviewer would")
    saying.add_argument("text", help="Markdown; - reads standard input")
    saying.add_argument("-o", "--output", default="", help="a WAV file to write")
    saying.set_defaults(run=say)
    checking = commands.add_parser("terms", help="say each term of the pronunciation table and recognise it back")
    checking.add_argument("term", nargs="*", help="only these")
    checking.add_argument("--control", action="store_true", help="also listen for it where another term is said")
    checking.set_defaults(run=terms)
    for command in (saying, checking):
        command.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    try:
        return int(options.run(options))
    except UserError as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
