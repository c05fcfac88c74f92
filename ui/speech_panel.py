"""What the composer has for speaking: the button that records, the strip that shows what is heard, and what to choose.

The scripts speech.js and reading.js do the rest; they talk to ui.speech_http.
"""

from __future__ import annotations

import gradio as gr

from ui.handlers import Update
from ui.wiring import Changes

_MICROPHONE = (
    '<svg viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.9" '
    'stroke-linecap="round"><rect x="9" y="3" width="6" height="11" rx="3"/><path d="M5.5 11.5a6.5 6.5 0 0 0 13 0M12 '
    '18v3"/></svg>'
)
_LOUDSPEAKER = (
    '<svg viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.9" '
    'stroke-linecap="round" stroke-linejoin="round"><path d="M4 9.5v5h3.5L12 18.5v-13L7.5 9.5z"/>'
    '<path class="waves" d="M15.5 9a4.5 4.5 0 0 1 0 6M18 6.5a8 8 0 0 1 0 11"/></svg>'
)
RECORD = (
    f'<button type="button" id="record" class="sm secondary" aria-pressed="false">{_MICROPHONE}'
    '<span class="words">Record</span></button>'
)
READ = (
    f'<button type="button" id="read-aloud" class="sm" aria-pressed="false">{_LOUDSPEAKER}'
    '<span class="words">Read aloud</span></button>'
)
OPTIONS = """<details id="speech-options"><summary class="sm">Voice options</summary><div>
<label><input type="checkbox" data-speech-option="at-once"> <span><b>Send at once</b> when I stop
recording</span></label>
<label><input type="checkbox" data-speech-option="hands-free"> <span><b>Hands-free</b>: a silence of a few seconds ends
and sends an answer; with Read aloud on, recording starts after each question</span></label>
<label class="file"><input type="file" id="speech-file" accept="audio/*,video/webm,.webm,.ogg,.wav,.mp3,.m4a,.flac">
<span><b>Use a recording</b> from a file</span></label></div></details>"""
STRIP = '<section id="viva-speech" class="viva-speech" aria-label="Speaking" hidden></section>'
OFF = (
    '<p id="viva-speech-off" class="viva-small" hidden></p>'
    '<p id="viva-reading-off" class="viva-small" role="status" hidden></p>'
)


class SpeechPanel:
    """The parts of the composer that are for speaking. `spoken` names the transcripts that stand in the answer box."""

    def __init__(self) -> None:
        gr.HTML(STRIP, padding=False, elem_id="viva-speech-block")
        self.spoken = gr.Textbox("", visible="hidden", elem_id="spoken", label="spoken", max_length=2000)

    def record(self) -> None:
        """The button that records; beside Send."""
        gr.HTML(RECORD, padding=False)

    def choices(self) -> None:
        """The row of what to choose: reading aloud, and how a recording ends."""
        with gr.Row(elem_classes="viva-actions", elem_id="viva-voice"):
            gr.HTML(READ, padding=False)
            gr.HTML(OPTIONS, padding=False)
        gr.HTML(OFF, padding=False, elem_id="viva-voice-off")

    def changes(self, update: Update) -> Changes:
        """What was sent is no longer in the box."""
        return {self.spoken: ""} if "answer" in update.clear else {}
