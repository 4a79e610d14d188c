"""Conflicts to choices: stories, verdicts, scoring, rendering and evaluation."""
