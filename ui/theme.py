"""The look: fonts and colours for Gradio's own variables, the style sheet, the script, and the files they use."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import gradio as gr

ASSETS = Path(__file__).resolve().parent / "assets"
SANS = ("Source Sans 3", "Segoe UI", "Noto Sans", "Roboto", "Helvetica", "Arial", "sans-serif")
MONO = ("Source Code Pro", "ui-monospace", "Menlo", "Consolas", "Liberation Mono", "monospace")


def theme() -> gr.themes.Base:
    """Gradio's variables, mapped to the tokens of viva.css. Fonts are named, never fetched from elsewhere."""
    base = gr.themes.Base(
        primary_hue="emerald",
        neutral_hue="stone",
        font=[gr.themes.Font(name) for name in SANS],
        font_mono=[gr.themes.Font(name) for name in MONO],
    )
    both = {
        "body_background_fill": "var(--paper)",
        "body_text_color": "var(--ink)",
        "body_text_color_subdued": "var(--ink-soft)",
        "background_fill_primary": "var(--surface)",
        "background_fill_secondary": "var(--sunken)",
        "block_background_fill": "var(--surface)",
        "block_border_color": "var(--line)",
        "block_label_background_fill": "var(--sunken)",
        "block_label_text_color": "var(--ink-soft)",
        "block_title_text_color": "var(--ink)",
        "block_info_text_color": "var(--ink-soft)",
        "border_color_primary": "var(--line)",
        "border_color_accent": "var(--accent)",
        "color_accent_soft": "var(--accent-soft)",
        "input_background_fill": "var(--surface)",
        "input_border_color": "var(--line-strong)",
        "input_placeholder_color": "var(--ink-soft)",
        "link_text_color": "var(--accent)",
        "code_background_fill": "var(--code-ground)",
        "slider_color": "var(--accent)",
        "button_primary_background_fill": "var(--accent)",
        "button_primary_background_fill_hover": "var(--accent-strong)",
        "button_primary_border_color": "var(--accent)",
        "button_primary_border_color_hover": "var(--accent-strong)",
        "button_primary_text_color": "var(--on-accent)",
        "button_primary_text_color_hover": "var(--on-accent)",
        "button_secondary_background_fill": "var(--surface)",
        "button_secondary_background_fill_hover": "var(--sunken)",
        "button_secondary_border_color": "var(--line-strong)",
        "button_secondary_border_color_hover": "var(--ink-soft)",
        "button_secondary_text_color": "var(--ink)",
        "button_secondary_text_color_hover": "var(--ink)",
        "button_cancel_background_fill": "transparent",
        "button_cancel_background_fill_hover": "var(--bad-soft)",
        "button_cancel_border_color": "var(--bad-line)",
        "button_cancel_border_color_hover": "var(--bad-line)",
        "button_cancel_text_color": "var(--bad)",
        "button_cancel_text_color_hover": "var(--bad)",
    }
    dark = {f"{name}_dark": value for name, value in both.items()}
    return base.set(**both, **dark, color_accent="var(--accent)")


@cache
def css() -> str:
    """The style sheet."""
    return "".join((ASSETS / name).read_text(encoding="utf-8") for name in ("viva.css", "speech.css"))


@cache
def head() -> str:
    """What goes into the page's head: its own scripts, and the icon."""
    names = ("profile.js", "keep.js", "viva.js", "speech.js", "reading.js")
    scripts = "".join(f"<script>{(ASSETS / name).read_text(encoding='utf-8')}</script>" for name in names)
    return (
        '<meta name="color-scheme" content="light dark"><link rel="icon" type="image/svg+xml" href="viva/icon.svg">'
        f'<meta name="viva-microphone" content="viva/microphone.js?v={_version("microphone.js")}">{scripts}'
    )


def _version(name: str) -> str:
    """Changes with the file, so that no browser goes on with an old one."""
    return hashlib.sha256((ASSETS / name).read_bytes()).hexdigest()[:12]


@cache
def files() -> dict[str, tuple[str, bytes]]:
    """Everything served under /viva/: name to media type and content. A fixed list, so no folder is exposed."""
    fonts = {
        "source-serif-4.woff2": "source-serif-4-latin-wght-normal.woff2",
        "source-sans-3.woff2": "source-sans-3-latin-wght-normal.woff2",
        "source-sans-3-italic.woff2": "source-sans-3-latin-wght-italic.woff2",
        "source-code-pro.woff2": "source-code-pro-latin-wght-normal.woff2",
    }
    found = {name: ("font/woff2", (ASSETS / "fonts" / file).read_bytes()) for name, file in fonts.items()}
    found["microphone.js"] = ("text/javascript", (ASSETS / "microphone.js").read_bytes())
    return found | {"icon.svg": ("image/svg+xml", (ASSETS / "icon.svg").read_bytes())}
