"""Bar charts for notebooks, as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

MOST_BARS = 15
ROW, LABEL, WIDTH = 20, 220, 420


def bars(labels: Sequence[str], values: Sequence[float], unit: str) -> str:
    """Draws at most `MOST_BARS` horizontal bars.

    >>> bars(["a"], [2.0], "ms").count("<rect")
    1
    """
    pairs = [pair for pair in zip(labels, values, strict=True) if pair[1] > 0][:MOST_BARS]
    if not pairs:
        return ""
    most = max(value for _, value in pairs)
    rows = "".join(_bar(k, str(it), value, most, unit) for k, (it, value) in enumerate(pairs))
    size = f'width="{LABEL + WIDTH + 100}" height="{len(pairs) * ROW + 8}"'
    style = 'font-family="sans-serif" font-size="12" role="img"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>{rows}</svg>'


def _bar(k: int, label: str, value: float, most: float, unit: str) -> str:
    y, width = 4 + k * ROW, max(1, round(WIDTH * value / most))
    text = escape(label if len(label) <= 30 else label[:29] + "…")
    return (
        f'<text x="{LABEL - 8}" y="{y + 13}" text-anchor="end" fill="currentColor">{text}</text>'
        f'<rect x="{LABEL}" y="{y + 2}" width="{width}" height="{ROW - 6}" fill="#2f6fb0"/>'
        f'<text x="{LABEL + width + 6}" y="{y + 13}" fill="currentColor">{value:.3g} {unit}</text>'
    )
