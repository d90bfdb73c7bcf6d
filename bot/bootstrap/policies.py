"""From the name of a policy to the policy: a preset, or a file."""

from pathlib import Path

from bot.core.policy.load import PolicyError, parse_policy
from bot.core.policy.rules import Policy
from bot.settings import CONFIG_DIR, PRESETS


def policy_text(name: str) -> tuple[str, str]:
    """The text of a preset or a file, and what errors call it. Raises PolicyError."""
    path = CONFIG_DIR / "policies" / f"{name}.toml" if name in PRESETS else Path(name).expanduser()
    shown = name if name in PRESETS else str(path)
    try:
        return path.read_text("utf-8"), shown
    except FileNotFoundError as error:
        problem = f"{shown}: there is no such file, and no preset of that name (there are {', '.join(PRESETS)})"
        raise PolicyError((problem,)) from error
    except (OSError, UnicodeDecodeError) as error:
        raise PolicyError((f"{shown}: cannot be read: {error}",)) from error


def load_policy(name: str) -> Policy:
    """The policy, its examples tried. Raises PolicyError."""
    return parse_policy(*policy_text(name))
