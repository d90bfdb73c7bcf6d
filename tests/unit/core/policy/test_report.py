from bot.core.policy.report import check_report, explain
from tests.unit.core.policy.making import allow, asking, block, context, decided, demand, denying, exact, policy

OF = policy(asking("python", id="why", why="data leaves", approve=demand(2, "sre", "leads", reason=True)))
BEYOND = " · a timeout of 60 s (usual here: 10 s)"


def test_the_shape_of_a_check() -> None:
    decision = decided(OF, block("x\n"), timeout_s=60.0)
    assert check_report(decision) == {
        "decision": "ask",
        "rule": "why",
        "reasons": [
            "asked about by rule 'why': data leaves",
            "Not covered by the policy: uses a name that nothing here defines: x (line 1)" + BEYOND,
        ],
        "facts": [
            {"kind": "name", "value": "x", "line": 1},
            {"kind": "limit", "value": "timeout 60 s", "line": 0},
        ],
        "uncovered": [
            {"kind": "name", "value": "x", "line": 1},
            {"kind": "limit", "value": "timeout 60 s", "line": 0},
        ],
        "profile": "default",
        "grants": ["a timeout of 60 s (usual here: 10 s)"],
        "digest": "73cb3858a687a8494ca3323053016282f3dad39d42cf62ca4e79dda2aac7d9ac",
        "approvers": [{"from": ["leads"], "need": 1}, {"from": ["leads", "sre"], "need": 2}],
        "quorum": 2,
    }


def test_nobody_approves_what_is_not_asked_about() -> None:
    for of, effect in ((policy(allow("python")), "allow"), (policy(denying("python")), "deny")):
        report = check_report(decided(of))
        assert (report["decision"], report["approvers"], report["quorum"]) == (effect, [], 0)


def test_in_words() -> None:
    decision = decided(OF)
    assert explain(decision).split("\n") == [
        "This needs approval.",
        "Asked about by rule 'why': data leaves.",
        "Not covered by the policy: uses print (line 1).",
        "Would get: no network · 10 s · 512 MB · workspace",
        "Needs 1 of @leads and 2 of @leads or @sre, not the requester, with a reason, within 60 min.",
        f"Code {decision.code_sha256[:8]}, policy {decision.revision[:8]}.",
    ]
    lax = decided(policy(default_approve=demand(not_requester=False)))
    assert "Needs 1 of @leads, within 60 min." in explain(lax)


def test_what_is_allowed_in_words() -> None:
    lines = explain(decided(policy(exact("print(1)\n", profile="api")))).split("\n")
    assert lines[:3] == [
        "This may run by itself.",
        "Allowed by rule 'exact'.",
        "Would get: network to a.example, b.example · 10 s · 512 MB · workspace",
    ]


def test_what_is_refused_in_words() -> None:
    lines = explain(decided(policy(denying("python", why="not here")), where=context())).split("\n")
    assert lines[:2] == ["This is refused.", "Refused by rule 'denying': not here."]
    assert len(lines) == 3


def test_the_words_of_a_command() -> None:
    report = check_report(decided(policy(), block('wc -l "$f"\n', "bash")))
    assert report["facts"] == [
        {"kind": "cmd", "value": 'wc -l "$f"', "line": 1, "argv": ["wc", "-l", {"dyn": '"$f"'}], "dyn": [2]},
        {"kind": "env", "value": "f", "line": 1},
    ]
