import re
import shlex

from bot.cli.demo import greeting


def test_the_lines_for_a_second_terminal_are_whole_commands() -> None:
    text = greeting("http://127.0.0.1:8137", colour=False)
    commands = re.findall(r"(?m)^  (curl (?:.*\\\n)*.*)$", text)
    assert len(commands) == 3
    for command in commands:
        words = shlex.split(command)
        assert words[0] == "curl"
        assert words[-2] == "-d"
    assert '{"text": "```python\\nprint(6 * 7)\\n```"}' in shlex.split(commands[0])
    assert "\x1b" not in text
