"""The main job, as people do it: post code, have it approved, see the answer. Real process, real sandbox."""

import asyncio
import re
import time
from typing import Any

import pytest

from tests.acceptance.process import BotProcess, until

pytestmark = pytest.mark.docker

TICKS = "import time\nfor n in range(4):\n    print('tick', n, flush=True)\n    time.sleep(1)"


async def test_a_member_posts_a_fence_and_gets_the_output(bot: BotProcess) -> None:
    ana = bot.person("ana")
    message = await ana.run("general", "print(6 * 7)")
    answer = await ana.answer("general", message)
    assert answer["status"] == "completed"
    assert re.match(r"✅ Python · exit 0 · \d+ ms\n42", answer["text"])
    shell = await ana.answer("general", await ana.run("general", "echo $((6 * 7)); exit 3", "bash"))
    assert shell["status"] == "failed"
    assert shell["text"].startswith("❌ Bash · exit 3")
    assert len(await ana.answers("general", message)) == 1


async def test_where_the_policy_asks_somebody_else_has_to_approve(bot: BotProcess) -> None:
    ana, lee, kim = bot.person("ana"), bot.person("lee"), bot.person("kim")
    message = await ana.run("data", "print('approved')")
    card = await ana.answer("data", message, "waiting")
    assert "ana wants to run Python (1 line) in #data" in card["text"]
    assert "print('approved')" in card["text"]
    assert [b["id"] for b in card["buttons"]] == ["approve", "remember", "deny", "cancel"]

    refused = await ana.press(card["id"], "approve")
    assert refused.status == 403
    assert refused.body["text"] == ("Only @leads can approve this; you asked for it yourself, so someone else has to.")
    before = await kim.messages("data")
    assert [m["status"] for m in before if m["author"] == "fencepost"] == ["waiting"], "nobody else heard of it"

    assert (await lee.press(card["id"], "approve")).status == 202
    answer = await ana.answer("data", message)
    assert answer["id"] == card["id"], "one answer, edited in place"
    assert answer["status"] == "completed"
    assert "approved" in answer["text"]
    assert "Approved by lee" in answer["text"]


async def test_output_is_seen_growing(bot: BotProcess) -> None:
    ana = bot.person("ana")
    await ana.answer("general", await ana.run("general", "print('warm')"))
    seen: list[tuple[float, int]] = []
    async with ana.events() as events:
        message = await ana.run("general", TICKS)
        began = time.monotonic()
        async with asyncio.timeout(15):
            async for name, data in events:
                shown = data["message"]
                if name == "deleted" or shown["reply_to"] != message:
                    continue
                seen.append((time.monotonic() - began, shown["text"].count("tick")))
                if shown["status"] == "completed":
                    break
    counts = [count for _, count in seen]
    assert counts == sorted(counts)
    assert {1, 2, 3, 4} <= set(counts)
    first_two = next(at for at, count in seen if count == 2)
    assert first_two < 2.5, "the second tick was shown while the program ran"


async def test_stop_ends_a_sleeping_program_within_a_second(bot: BotProcess) -> None:
    ana, bo = bot.person("ana"), bot.person("bo")
    message = await ana.run("general", "import time\nprint('asleep', flush=True)\ntime.sleep(9)")
    running = await ana.answer("general", message, "running")
    assert (await bo.press(running["id"], "stop")).status == 403
    began = time.monotonic()
    assert (await ana.press(running["id"], "stop")).status == 202
    stopped = await ana.answer("general", message)
    assert time.monotonic() - began < 1
    assert stopped["status"] == "cancelled"
    assert "stopped by ana" in stopped["text"]
    assert "asleep" in stopped["text"]
    assert (await ana.press(running["id"], "stop")).status == 410


async def test_an_edit_after_the_end_runs_again_in_the_same_answer(bot: BotProcess) -> None:
    ana = bot.person("ana")
    message = await ana.run("general", "print('first')")
    first = await ana.answer("general", message)
    await ana.edit(message, "print('second')")

    async def second() -> dict[str, Any] | None:
        found = await ana.answer("general", message)
        return found if "second" in found["text"] else None

    again = await until("answer to the edited code", second)
    assert again["id"] == first["id"]
    assert "first" not in again["text"]
    assert len(await ana.answers("general", message)) == 1


async def test_a_deleted_message_takes_its_answer_along(bot: BotProcess) -> None:
    ana = bot.person("ana")
    message = await ana.run("general", "print('gone')")
    answer = await ana.answer("general", message)
    deleted = await ana.call("DELETE", f"/api/messages/{message}")
    assert deleted.status in {200, 204}

    async def gone() -> bool:
        return not await ana.answers("general", message)

    await until("removal of the answer", gone)
    assert (await ana.press(answer["id"], "run_again")).status == 410


async def test_run_again_and_run_with_input(bot: BotProcess) -> None:
    ana, bo = bot.person("ana"), bot.person("bo")
    code = "import sys\nprint(sys.argv[1:], sys.stdin.read())"
    message = await ana.run("general", code)
    first = await ana.answer("general", message)
    assert "[]" in first["text"]
    assert (await bo.press(first["id"], "run_again")).status == 202
    assert (await bo.press(first["id"], "run_input", stdin="hello", args="-n 'a b'")).status == 202

    async def all_ended() -> bool:
        return [m["status"] for m in await ana.answers("general", message)] == ["completed"] * 3

    await until("end of all three", all_ended)
    last = (await ana.answers("general", message))[-1]
    assert "['-n', 'a b'] hello" in last["text"]


async def test_several_blocks_files_and_a_name(bot: BotProcess) -> None:
    ana = bot.person("ana")
    text = (
        "```python\n# filename: lib/sums.py\ndef total(xs): return sum(xs)\n```\n"
        "```python\nimport sys\nsys.path.insert(0, 'lib')\nfrom sums import total\n"
        "open('sum.txt', 'w').write(str(total([1, 2, 3])))\n```\n"
        "```bash\ncat sum.txt; exit 1\n```\n"
        "```bash\necho never\n```"
    )
    message = await ana.post("general", text)
    answer = await ana.answer("general", message)
    assert answer["status"] == "failed"
    assert "✅ Python 2/4" in answer["text"]
    assert "❌ Bash 3/4 · exit 1" in answer["text"]
    assert "Block 4 was not run." in answer["text"]
    named = {file["name"]: file for file in answer["files"]}
    assert "sum.txt" in named
    got = await ana.call("GET", named["sum.txt"]["url"])
    assert (got.status, got.body) == (200, "6")


async def test_a_member_cannot_halt_and_an_admin_can(bot: BotProcess) -> None:
    ana, root = bot.person("ana"), bot.person("root")
    message = await ana.run("general", "import time\ntime.sleep(9)")
    await ana.answer("general", message, "running")
    await ana.post("general", "/fencepost halt")
    assert (await ana.answers("general", message))[-1]["status"] == "running"
    await root.post("general", "/fencepost halt")
    halted = await ana.answer("general", message)
    assert halted["status"] == "cancelled"
    assert "everything was halted" in halted["text"]
    held = await ana.run("general", "print('held')")
    await ana.answer("general", held, "queued")
    await bot.restart()
    assert "halted everything" in (await ana.answer("general", held, "queued"))["text"]
    await root.post("general", "/fencepost resume")
    assert (await ana.answer("general", held))["status"] == "completed"
