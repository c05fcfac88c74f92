"""The feedback report: built from a stored session alone, and rendered as HTML, JSON, Markdown or PDF."""
