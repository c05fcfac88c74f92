"""The page: which panels stand where, and how an update of the interview reaches them. Looks are in ui/assets.

The four tabs are columns that the page's script shows one of, by the address's #fragment: switching needs no server,
and the back button works.
"""

from __future__ import annotations

import gradio as gr

from ui.about_panel import AboutPanel
from ui.documents import DocumentsPanel, OwnPassages
from ui.endpoints import register
from ui.frame_panel import FramePanel
from ui.handlers import Handlers, Update
from ui.history_panel import HistoryPanel
from ui.library_panel import LibraryPanel
from ui.parts import Parts
from ui.profile_panel import ProfilePanel
from ui.report_panel import ReportPanel
from ui.room import Room
from ui.setup_panel import SetupPanel
from ui.wiring import PRIVATE, Changes, Panel, Wiring
from ui.words import FOOT

UPLOADS_KEPT = (600, 600)  # look every 10 minutes, delete what was uploaded 10 minutes ago


class Page:
    """Builds the Blocks out of panels. `blocks` is what gets launched."""

    def __init__(self, parts: Parts) -> None:
        with gr.Blocks(
            title="Viva, mock interviews", analytics_enabled=False, fill_width=True, delete_cache=UPLOADS_KEPT
        ) as self.blocks:
            frame = FramePanel(parts)
            with gr.Column(elem_id="tab-interview", elem_classes="viva-tab"):
                interview: list[Panel] = [report := ReportPanel(parts), room := Room(), setup := SetupPanel(parts)]
                interview += [report.dispute, room.dispute]
                with setup.setup:
                    interview.append(DocumentsPanel(parts, setup.questions))
            library = LibraryPanel()
            with library.documents:
                own = OwnPassages()
            history = HistoryPanel()
            with history.profile:
                profile = ProfilePanel(parts, setup.drill)
            self._panels: list[Panel] = [frame, *interview, library, own, history, profile, AboutPanel(parts)]
            gr.HTML(FOOT, padding=False)
            outputs = [component for panel in self._panels for component in panel.outputs()]
            self._unchanged = frame.notice
            wiring = Wiring(
                parts,
                Handlers(parts),
                self.blocks,
                frame.session,
                frame.seen,
                frame.shown,
                frame.profile,
                outputs,
                self._changes,
            )
            for panel in self._panels:
                panel.wire(wiring)
            told = [component for panel in self._panels for component in panel.facts()]
            frame.timer.tick(self._facts, None, told, **PRIVATE)
            register(parts)
        self.blocks.queue(default_concurrency_limit=24, max_size=200)

    def _changes(self, update: Update) -> Changes:
        changes: Changes = {}
        for panel in self._panels:
            changes |= panel.changes(update)
        return changes or {self._unchanged: gr.update()}

    def _facts(self) -> Changes:
        return {component: value for panel in self._panels for component, value in panel.facts().items()}
