"""`fencepost COMMAND …`: parse, run one command, and turn every failure into three lines and an exit code."""

import io
import json
import os
import sys
from collections.abc import Sequence

from bot.cli.arguments import parse
from bot.cli.trouble import MACHINERY, NO, Trouble


def main(argv: Sequence[str] | None = None) -> int:
    """0 done, 1 the answer is no, 2 wrong usage, 3 our machinery failed."""
    words = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that lacks a character gets its number
    try:
        command = parse(words)
        code = command()
        sys.stdout.flush()
        return code
    except Trouble as trouble:
        return _report(trouble, as_json="--json" in words or "--jsonl" in words)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader has left; so may we, quietly
        return NO
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        failed = Trouble("Something of this machine failed.", f"{error}.", "See to that, then try again.", MACHINERY)
        return _report(failed, as_json="--json" in words)


def _report(trouble: Trouble, *, as_json: bool) -> int:
    if as_json:
        print(json.dumps({"error": trouble.what, "why": trouble.why, "fix": trouble.fix}), flush=True)  # noqa: T201
    print(trouble.lines(), file=sys.stderr)  # noqa: T201
    return trouble.code


if __name__ == "__main__":
    sys.exit(main())
