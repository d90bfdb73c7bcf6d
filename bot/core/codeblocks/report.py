"""What `fencepost blocks` prints: the blocks and hints of one message as JSON values.

The keys language, code, info, line, closed and hints are a contract with other programs; the others may grow.
"""

from typing import Any

from bot.core import arrival
from bot.core.codeblocks import Block, dialect_of, extract
from bot.core.languages import DEFAULT_LANGUAGES, LanguageTable


def blocks_report(text: str, platform: str = "web", languages: LanguageTable = DEFAULT_LANGUAGES) -> dict[str, Any]:
    """Read a message as the platform delivers it, its client's marks included."""
    found = extract(arrival.clean(text, platform), languages, dialect_of(platform))
    return {"blocks": [_entry(block) for block in found.blocks], "hints": [hint.text for hint in found.hints]}


def _entry(block: Block) -> dict[str, Any]:
    return {
        "language": block.language,
        "code": block.code,
        "info": block.info,
        "line": block.line,
        "closed": block.closed,
        "runnable": block.runnable,
        "suggested": block.suggested,
        "filename": block.filename,
        "stdin": block.stdin,
        "attributes": {
            "timeout_s": block.attributes.timeout_s,
            "network": block.attributes.network,
            "packages": list(block.attributes.packages),
            "args": list(block.attributes.args),
        },
    }
