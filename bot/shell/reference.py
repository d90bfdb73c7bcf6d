"""Short names: for a failure, so that what a person was told can be found in the log, and for events of our own."""

import secrets


def new_reference() -> str:
    return secrets.token_hex(3)


def new_event_id(kind: str) -> str:
    """Never given twice: what the shell reports happens once and is not delivered again."""
    return f"{kind}:{secrets.token_hex(12)}"
