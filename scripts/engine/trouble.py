"""What the setup says while it goes on, and when it cannot."""

import sys


class Trouble(Exception):
    """Ends the command; three lines for a person: what happened, why, and what to do."""

    def __init__(self, what: str, why: str, fix: str) -> None:
        super().__init__(f"error: {what}\n  why: {why}\n  fix: {fix}")


def say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
