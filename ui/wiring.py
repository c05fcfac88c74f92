"""What a panel of the page is, and what it gets to connect its controls with the handlers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import gradio as gr

from ui.handlers import Handlers, Update
from ui.parts import Parts

Changes = dict[Any, Any]
# The page's own handlers have no public name, and what is at work is said by the page, not by Gradio's veil.
PRIVATE: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}


class Panel(Protocol):
    """A part of the page: makes its components when it is constructed, inside the Blocks.

    An update of the interview goes through every panel, and each says what of its own components changes.
    """

    def outputs(self) -> list[Any]:
        """The components that `changes` may change."""

    def changes(self, update: Update) -> Changes:
        """What an update changes here."""

    def facts(self) -> Changes:
        """What follows from the facts of the installation. Told again every second until all is loaded."""

    def wire(self, wiring: Wiring) -> None:
        """Connect the controls. Called once, when all panels are made."""


class Plain:
    """A panel that shows nothing of the interview and of the facts: to be overridden where one does."""

    def outputs(self) -> list[Any]:
        """No component."""
        return []

    def changes(self, update: Update) -> Changes:  # noqa: ARG002
        """Nothing changes."""
        return {}

    def facts(self) -> Changes:
        """Nothing to tell."""
        return {}

    def wire(self, wiring: Wiring) -> None:  # noqa: ARG002
        """Nothing to connect."""
        return


@dataclass(frozen=True)
class Wiring:
    """What panels connect with. `session`, `seen` and `shown` are the page's place in the interview (see handlers).
    `profile` holds the secret of the profile that this browser keeps, "" for none."""

    parts: Parts
    handlers: Handlers
    blocks: gr.Blocks
    session: gr.Textbox
    seen: gr.Number
    shown: gr.Textbox
    profile: gr.Textbox
    outputs: list[Any]
    translate: Callable[[Update], Changes]

    @property
    def at(self) -> list[Any]:
        """The inputs of a handler that acts on an interview: session, seen, shown."""
        return [self.session, self.seen, self.shown]

    def on(
        self, event: Callable[..., Any], handler: Callable[..., Iterator[Update]], inputs: list[Any], **more: Any
    ) -> Any:
        """Call the handler on the event, and show each of its updates on every panel. Returns Gradio's dependency."""

        def run(*values: Any) -> Iterator[Changes]:
            yield from map(self.translate, handler(*values))

        return event(run, inputs, self.outputs, **{**PRIVATE, **more})
