"""The page's pure modules, tried where they run."""

from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import Open
from tests.integration.webrig import site

pytestmark = pytest.mark.browser


HISTORY = """m => {
    const message = (number, cursor, more = {}) => ({
        id: `m${number}`, number, cursor: String(cursor).padStart(4, '0'), thread: null, deleted: false, ...more,
    });
    const changes = [];
    let cursor = 0;
    for (let number = 1; number <= 12; number += 1) {
        const more = number % 4 === 0 ? { thread: 'm1' } : {};
        for (let form = 0; form <= number % 3; form += 1) {
            changes.push(message(number, cursor += 1, { ...more, text: `form ${form}` }));
        }
        if (number % 5 === 0) changes.push(message(number, cursor += 1, { ...more, deleted: true }));
    }
    let seed = 7;
    const random = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
    const outcomes = new Set();
    for (let turn = 0; turn < 300; turn += 1) {
        const history = new m.History();
        history.addOlder([], false);
        const order = [...changes, ...changes].map(one => [random(), one]).sort((a, b) => a[0] - b[0]);
        for (const [, one] of order) history.merge(one);
        outcomes.add(JSON.stringify([history.main, history.replies('m1')]));
    }
    return [...outcomes].map(JSON.parse);
}"""

HEIGHTS = """m => {
    const values = Array.from({ length: 1000 }, (_, at) => 20 + (at * 37) % 90);
    const heights = new m.Heights(values);
    for (let at = 0; at < 1000; at += 3) { values[at] = 5 + at % 400; heights.set(at, values[at]); }
    let sum = 0;
    for (let at = 0; at < 1000; at += 1) {
        if (Math.abs(heights.before(at) - sum) > 1e-6) return `before ${at}`;
        for (const y of [sum, sum + values[at] / 2]) if (heights.at(y) !== at) return `at ${y}, not ${at}`;
        sum += values[at];
    }
    return heights.total === sum && heights.at(1e9) === 999 && new m.Heights([]).at(5) === 0 ? 'right' : 'ends';
}"""

FENCES = """m => [
    m.partsOf('hi\\n\\n```py\\nprint(1)\\n```\\nbye').map(
        part => [part.kind, part.text ?? part.code, part.info ?? null]),
    m.partsOf('~~~~\\n```\\n~~~\\n~~~~').map(part => [part.kind, part.code, part.closed]),
    m.partsOf('``` a ` b').map(part => part.kind),
    m.partsOf('```sh\\necho').map(part => [part.code, part.closed]),
    m.partsOf('  ```\\n    x\\n y\\n```').map(part => part.code),
    m.fenceAt('a\\n```py\\nx', 8)?.info ?? null,
    m.fenceAt('a\\n```py\\nx\\n```\\n', 15)?.info ?? null,
]"""

HIGHLIGHT = """m => {
    const codes = {
        python: ["def f(x): return 'a' + x  # c", "'''open", 'f\\"{a}\\" 0x1F .5e3j @deco', 'é = "\\\\"'],
        bash: ['echo "$HOME" # x', 'if [ $# -gt 1 ]; then'],
        js: ['const a = `x${1}`; // y'],
    };
    const evil = [['"', 50000], ["'''", 16000], ['\\\\', 50000], ['$', 50000], ['a', 50000], ['/*', 25000]];
    for (const [language, list] of Object.entries(codes)) for (const code of list) {
        const whole = m.tokens(code, language).map(([, text]) => text).join('');
        if (whole !== code) return `${code} became ${whole}`;
    }
    const began = performance.now();
    for (const language in codes) for (const [text, times] of evil) m.tokens(text.repeat(times), language);
    if (performance.now() - began > 3000) return 'slow';
    return m.tokens("def f(x): return 1  # c", 'python').filter(([kind]) => kind);
}"""

TIMES = """m => [
    m.localTimes('until 15:40 UTC', Date.UTC(2026, 0, 2, 12) / 1000),
    m.localTimes('at 25:00 UTC, 15:40', Date.UTC(2026, 0, 2, 12) / 1000),
]"""


async def test_the_modules(tmp_path: Path, open_tab: Open) -> None:
    async with site(tmp_path) as web:
        tab = await open_tab(web.base, "ana", timezone_id="Asia/Kolkata", locale="en-GB")

        async def run(module: str, function: str) -> Any:
            handle = await tab.page.evaluate_handle(
                "name => import(new URL(name, document.querySelector('script[type=module]').src).href)", module
            )
            return await handle.evaluate(function)

        [[main, replies]] = await run("history.js", HISTORY)
        assert [one["number"] for one in main] == [1, 2, 3, 6, 7, 9, 11]
        assert [one["number"] for one in replies] == [4, 8, 12]
        assert [one["text"] for one in main] == [f"form {one['number'] % 3}" for one in main]
        assert await run("heights.js", HEIGHTS) == "right"
        assert await run("fences.js", FENCES) == [
            [["prose", "hi", None], ["fence", "print(1)", "py"], ["prose", "bye", None]],
            [["fence", "```\n~~~", True]],
            ["prose"],
            [["echo", False]],
            ["  x\ny"],
            "py",
            None,
        ]
        assert await run("highlight.js", HIGHLIGHT) == [
            ["key", "def"],
            ["fun", "f"],
            ["key", "return"],
            ["num", "1"],
            ["com", "# c"],
        ]
        assert await run("time.js", TIMES) == ["until 21:10", "at 25:00 UTC, 15:40"]
