"""A profile as the page shows it: progress by topic over time as inline SVG, and what is due. Pure functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime

from interview.profile import Profile
from ui.text import html

_WIDTH, _HEIGHT, _EDGE = 220, 44, 6


def due_count(profile: Profile, now: float) -> int:
    """How many points that were missed are due at `now`, in seconds since the epoch."""
    return sum(point.due <= now for point in profile.points)


def drill_line(profile: Profile | None, now: float) -> str:
    """What the form says of the drill: how much there is, or why there is none."""
    if profile is None:
        told, due = "A drill needs kept progress: switch it on in the History tab.", 0
    elif due := due_count(profile, now):
        points = "1 point that you missed is" if due == 1 else f"{due} points that you missed are"
        told = f"A drill asks what you missed before: {points} due."
    elif profile.points:
        told = f"There is nothing to drill today: the next point is due on {_day(profile.points[0].due)}."
    else:
        told = "There is nothing to drill yet: no point was missed in an interview of your profile."
    return f'<p class="viva-small" id="viva-drill" data-due="{due}">{html(told)}</p>'


def progress_html(profile: Profile, titles: Mapping[str, str], now: float) -> str:
    """Interviews, a line of scores for each topic, and the questions with missed points. `titles` names questions."""
    count = len(profile.interviews)
    name = f" of {html(profile.name)}" if profile.name else ""
    held = "no interview has ended yet" if not count else "1 interview" if count == 1 else f"{count} interviews"
    head = f"<h2>The progress{name}</h2><p>Kept since {_day(profile.created)}: {held}.</p>"
    topics = sorted({part.topic for item in profile.interviews for part in item.topics})
    lines = [_line("All topics", profile.progress())] + [
        _line(topic.replace("_", " ").capitalize(), profile.progress(topic)) for topic in topics
    ]
    chart = f'<ul class="viva-topics">{"".join(lines)}</ul>' if count else ""
    return head + chart + _due(profile, titles, now)


def _line(name: str, shown: list[tuple[float, float]]) -> str:
    if not shown:
        return ""
    first, last = shown[0][0], shown[-1][0]
    span = (last - first) or 1.0
    places = [
        (
            _EDGE + (_WIDTH - 2 * _EDGE) * ((at - first) / span if len(shown) > 1 else 0.5),
            _EDGE + (_HEIGHT - 2 * _EDGE) * (1 - min(1.0, max(0.0, share))),
        )
        for at, share in shown
    ]
    spoken = "; ".join(f"{_day(at)}: {share:.0%}" for at, share in shown)
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>' for x, y in places)
    svg = (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{html(f"{name} over time. {spoken}")}">'
        f'<line class="grid" x1="0" x2="{_WIDTH}" y1="{_HEIGHT - _EDGE}" y2="{_HEIGHT - _EDGE}"/>'
        f'<polyline class="line" points="{line}"/>{dots}</svg>'
    )
    return f"<li><span>{html(name)}</span>{svg}<b>{shown[-1][1]:.0%}</b></li>"


def _due(profile: Profile, titles: Mapping[str, str], now: float) -> str:
    if not profile.points:
        return "<p>No missed point is scheduled.</p>"
    due = Counter(point.question_id for point in profile.points if point.due <= now)
    rows = []
    for question_id in dict.fromkeys(point.question_id for point in profile.points):
        points = [point for point in profile.points if point.question_id == question_id]
        when = f"{due[question_id]} due now" if due[question_id] else f"next on {_day(points[0].due)}"
        many = "1 point" if len(points) == 1 else f"{len(points)} points"
        name = titles.get(question_id, question_id.replace("_", " "))
        rows.append(f"<li><span>{html(name)}</span><span>{many}, {when}</span></li>")
    more = f"<p>And {len(rows) - 12} more questions.</p>" if len(rows) > 12 else ""
    head = f"<h3>What comes back: {sum(due.values())} of {len(profile.points)} points are due</h3>"
    return f'{head}<ul class="viva-due">{"".join(rows[:12])}</ul>{more}'


def _day(at: float) -> str:
    moment = datetime.fromtimestamp(at, UTC)
    return f"{moment.day} {moment:%b %Y}"
