"""Reading a policy: every error names the file, the key, and the line where it can."""

from pathlib import Path

import pytest

from bot.core.policy.decision import Demand, Effect, Need
from bot.core.policy.lines import line_of
from bot.core.policy.load import PolicyError, load_policies, parse_policy
from bot.core.policy.rules import Grant, Group, Match, Policy

HEAD = """\
format = 1
[default_approve]
from = ["leads"]
[approvers.leads]
web_roles = ["lead"]
[profiles.offline]
network = "none"
"""
RULE = '[[rule]]\nid = "x"\neffect = "allow"\nlanguage = ["python"]\nprofile = "offline"\n'


def complaint(text: str) -> str:
    with pytest.raises(PolicyError) as caught:
        parse_policy(text, "p.toml")
    assert str(caught.value) == "\n".join(caught.value.problems)
    return str(caught.value)


def test_everything_that_can_be_written() -> None:
    policy = parse_policy(
        """
        format = 1
        default = "deny"
        default_approve = { from = ["leads", "sre"], need = 2, not_requester = false, within_s = 60, reason = true }
        [approvers]
        leads = { web_roles = ["lead"], slack_usergroups = ["S1"], discord_roles = ["9"], users = ["slack:U1"] }
        sre = {}
        [profiles.offline]
        network = "none"
        workspace = "ro"
        scratch = "/tmp"
        secrets = []
        timeout_s = 20
        memory_mb = 256
        [profiles.api]
        network = ["api.example"]
        [[rule]]
        id = "a"
        effect = "allow"
        language = ["python"]
        code_sha256 = "%s"
        profile = "api"
        limit = ["timeout 60 s"]
        taint_ok = true
        scope = "slack:T1/C42"
        expires = 2027-01-01T00:00:00Z
        max_uses = 50
        uses = 3
        from_request = 812
        added_by = "slack:U01"
        why = "a reason"
        [[rule]]
        id = "b"
        effect = "ask"
        match = { language = ["*"], limit = ["memory *"] }
        always = true
        expires = "2027-01-01T00:00:00Z"
        approve = { from = ["sre"] }
        """
        % ("0" * 64),
        "p.toml",
    )
    assert policy.default_approve == Demand(
        needs=(Need(groups=("leads", "sre"), need=2),),
        not_requester=False,
        within_s=60.0,
        reason=True,
    )
    assert policy.approvers["sre"] == Group()
    assert policy.profiles == {
        "offline": Grant(workspace="ro", timeout_s=20.0, memory_mb=256),
        "api": Grant(network=("api.example",)),
    }
    a, b = policy.rule
    assert (a.effect, a.expires, a.max_uses, a.uses) == (Effect.ALLOW, b.expires, 50, 3)
    assert b.match == Match(language=("*",), limit=("memory *",))
    assert b.approve == Demand(needs=(Need(groups=("sre",), need=1),))
    assert Policy.model_validate_json(policy.model_dump_json()) == policy


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("format = [", "p.toml: not TOML: "),
        ("", "p.toml: 'default_approve' is required"),
        ("format = 2\n" + HEAD.replace("format = 1\n", ""), "p.toml, line 1: 'format' is wrong: input should be 1"),
        ("default = 'allow'\n" + HEAD, "p.toml, line 1: 'default' is wrong: "),
        (
            "colour = 'red'\n" + HEAD,
            "p.toml, line 1: 'colour' is unknown; known here: approvers, default, default_approve,",
        ),
        (
            HEAD.replace("from", "form"),
            "p.toml, line 2: 'default_approve' has the unknown key 'form'; known here: from, need,",
        ),
        (HEAD.replace('["leads"]', "[]"), "line 2: 'default_approve' needs from, a list of approver groups"),
        (HEAD.replace('["leads"]', '"leads"'), "line 2: 'default_approve' needs from, a list of approver groups"),
        (HEAD.replace('["leads"]', "[1]"), "line 2: 'default_approve' needs from, a list of approver groups"),
        (HEAD.replace('["leads"]', '["lead"]'), "line 3: 'default_approve.from' there is no approver group 'lead'"),
        (HEAD.replace('["leads"]', '["leads"]\nneed = 0'), "'default_approve' need is a whole number of people"),
        (HEAD.replace('["leads"]', '["leads"]\nneed = true'), "'default_approve' need is a whole number of people"),
        (HEAD.replace('["leads"]', '["leads"]\nneed = "2"'), "'default_approve' need is a whole number of people"),
        (HEAD.replace('["leads"]', '["leads"]\nwithin_s = 0'), "line 4: 'default_approve.within_s' is wrong: "),
        (HEAD.replace('["leads"]', '["leads"]\nwithin_s = inf'), "line 4: 'default_approve.within_s' is wrong: "),
        ("default_approve = 3\n", "p.toml, line 1: 'default_approve' is wrong: "),
        (
            HEAD.replace("web_roles", "roles"),
            "p.toml, line 5: 'approvers.leads.roles' is unknown; known here: discord_roles,",
        ),
        (HEAD.replace('["lead"]', '["the lead"]'), "line 5: 'approvers.leads.web_roles' is an id, without blanks"),
        (HEAD.replace("web_roles = [", "users = ["), "line 5: 'approvers.leads.users' is a user as 'platform:id'"),
        (HEAD.replace("leads]\nweb", "'the leads']\nweb"), "'approvers.the leads' is made of letters, digits"),
        (HEAD.replace('"none"', '"all"'), "line 7: 'profiles.offline.network' is \"none\" or a list of hosts"),
        (HEAD.replace('"none"', "3"), "line 7: 'profiles.offline.network' is \"none\" or a list of hosts"),
        (HEAD.replace('"none"', "[3]"), "line 7: 'profiles.offline.network' is wrong: "),
        (HEAD + "secrets = ['KEY']\n", "line 8: 'profiles.offline.secrets' has to be empty"),
        (HEAD + "timeout_s = 0\n", "line 8: 'profiles.offline.timeout_s' is wrong: "),
        (HEAD + "timeout_s = inf\n", "line 8: 'profiles.offline.timeout_s' is wrong: "),
        (HEAD + "disk_mb = 3\n", "line 8: 'profiles.offline.disk_mb' is unknown; known here: memory_mb, network,"),
        (
            HEAD + RULE + "imports = ['json']\n",
            "p.toml, line 13: rule 'x': 'imports' is unknown; known here: added_by, always,",
        ),
        (
            HEAD + RULE + "[rule.match]\nhost = ['*']\n",
            "line 14: rule 'x': 'match.host' is unknown; known here: assign,",
        ),
        (HEAD + RULE + "cmd = ['lz']\n", "line 13: rule 'x': 'cmd' the command table has no 'lz'"),
        (
            HEAD + RULE + "cmd = [{ name = 'ls', flagz = [] }]\n",
            "'cmd.shape.flagz' is unknown; known here: args, argv,",
        ),
        (HEAD + RULE + "cmd = [3]\n", "line 13: rule 'x': 'cmd.shape' is wrong: input should be an object"),
        (HEAD + RULE + "cmd = ['a b']\n", "line 13: rule 'x': 'cmd.name' is the name of a command"),
        (HEAD + RULE + "write = ['tmp']\n", "line 13: rule 'x': 'write' is an absolute path"),
        (HEAD + RULE + "[rule.examples]\nno = []\n", "'examples.no' is unknown; known here: allow, ask, deny"),
        (HEAD + RULE + RULE, "p.toml, line 14: rule 'x': 'id' another rule has this id already"),
        (HEAD + RULE.replace('"offline"', '"on"'), "p.toml, line 12: rule 'x': 'profile' there is no profile 'on'"),
        (HEAD + RULE.replace('"x"', '"x y"'), "line 9: rule 'x y': 'id' is made of letters"),
        (HEAD + RULE.replace('"x"', "3"), "line 9: rule 1: 'id' is wrong: "),
        (HEAD + RULE.replace('id = "x"\n', ""), "line 8: rule 1: 'id' is required"),
        (HEAD + RULE.replace('"allow"', '"permit"'), "line 10: rule 'x': 'effect' is wrong: "),
        (HEAD + RULE + "expires = 2027-01-01T00:00:00\n", "line 13: rule 'x': 'expires' is wrong: "),
        (HEAD + RULE + "expires = 2027-01-01\n", "line 13: rule 'x': 'expires' is wrong: "),
        (HEAD + RULE + "expires = 10:00:00\n", "line 13: rule 'x': 'expires' is wrong: "),
        (HEAD + RULE + "scope = 'general'\n", "line 13: rule 'x': 'scope' is a channel as"),
        (
            HEAD + RULE + "approve = { from = ['leads'] }\n",
            "line 13: rule 'x': 'approve' an allow rule has no 'approve'",
        ),
        ("rule = [ 3 ]\n" + HEAD, "line 1: rule 1: is wrong: "),
        ("rule = 3\n" + HEAD, "line 1: 'rule' is wrong: "),
    ],
)
def test_errors_say_where_and_what(text: str, says: str) -> None:
    assert says in complaint(text)


def test_all_faults_of_the_fields_are_told_at_once() -> None:
    assert len(complaint(HEAD + RULE + "imports = ['json']\nhosts = ['*']\n").split("\n")) == 2


@pytest.mark.parametrize(
    ("examples", "says"),
    [
        ("allow = ['print(1)']", None),
        ("ask = ['a\\u200bb']", "line 14: rule 'x': 'examples.ask' "),  # a literal string, so no escape
        ('ask = ["a\\u200bb"]', None),
        ("deny = ['print(1)']", "'print(1)' is allow in python, not deny: allowed by rule 'x'"),
        ('allow = ["a\\u200bb"]', "'a\\\\u200bb' is ask in python, not allow: Not what it looks like"),
        ('allow = ["a\\r\\nb"]', None),
    ],
)
def test_a_rule_whose_example_fails_refuses_the_revision(examples: str, says: str | None) -> None:
    text = f"{HEAD}{RULE}[rule.examples]\n{examples}\n"
    if says is None:
        parse_policy(text, "p.toml")
    else:
        assert says in complaint(text)


@pytest.mark.parametrize(
    ("rule", "fails"),
    [
        ("effect = 'ask'\nmatch = { language = ['bash'] }\nexamples = { ask = ['ls'] }", None),
        ("effect = 'deny'\nmatch = { language = ['bash'] }\nexamples = { ask = ['ls'] }", "in bash"),
        ("effect = 'deny'\nmatch = { limit = ['*'] }\nexamples = { deny = ['ls'] }", "in bash"),
        ("effect = 'deny'\nlanguage = ['*']\nexamples = { deny = ['ls'] }", None),
        ("effect = 'deny'\nlanguage = ['*']\nexamples = { ask = ['ls'] }", "in bash"),
        ("effect = 'deny'\nlanguage = ['python', 'sh']\nexamples = { ask = ['ls'] }", "in python"),
        # in force: in its channel, not expired, not used up
        ("effect = 'deny'\nlanguage = ['sh']\nscope = 'web:a/b'\nexamples = { deny = ['ls'] }", None),
        ("effect = 'deny'\nlanguage = ['sh']\nexpires = 1999-01-01T00:00:00Z\nexamples = { deny = ['ls'] }", None),
        (
            "effect = 'allow'\nlanguage = ['sh']\nprofile = 'offline'\nmax_uses = 1\nuses = 1\nexamples.allow = ['ls']",
            None,
        ),
    ],
)
def test_examples_are_tried_in_every_language_of_the_rule(rule: str, fails: str | None) -> None:
    text = f"{HEAD}[[rule]]\nid = 'y'\n{rule}\n"
    if fails is None:
        parse_policy(text, "p.toml")
    else:
        assert fails in complaint(text)


def test_examples_are_judged_by_the_whole_policy() -> None:
    deny = "[[rule]]\nid = 'no'\neffect = 'deny'\nlanguage = ['python']\n"
    assert "refused by rule 'no'" in complaint(HEAD + RULE + "examples = { allow = ['1'] }\n" + deny)


def test_several_policies_by_name() -> None:
    assert load_policies({"a": HEAD, "b": HEAD + RULE})["b"].rule[0].id == "x"
    with pytest.raises(PolicyError, match=r"^b: "):
        load_policies({"a": HEAD, "b": ""})


# ---- lines

LINES = """\
# [not.a.table]
top = 1
text = '''
[[rule]]
key = 3
\"\"\" [[rule]]
'''
more = \"\"\" [[rule]] \"\"\"
'quoted key'.inner = 2
[ a . "b c" ]  # with a remark
x = [
  "y = 3",
]
[[rule]]
id = "first"
[rule.match]
net = 1
[[rule]]
id = "second"
match = { net = 2 }
[[rule.part]]
k = 1
[[rule.part]]
k = 2
"""


@pytest.mark.parametrize(
    ("place", "line"),
    [
        (("top",), 2),
        (("text",), 3),
        (("key",), None),
        (("more",), 8),
        (("quoted key", "inner"), 9),
        (("a", "b c"), 10),
        (("a", "b c", "x", 0), 11),
        (("a", "b c", "z"), 10),
        (("rule", 0), 14),
        (("rule", 0, "id"), 15),
        (("rule", 0, "match", "net"), 17),
        (("rule", 1, "match", "net"), 20),
        (("rule", 1, "part", 0, "k"), 22),
        (("rule", 1, "part", 1, "k"), 24),
        (("rule", 2), None),
        (("nowhere",), None),
    ],
)
def test_lines(place: tuple[str | int, ...], line: int | None) -> None:
    assert line_of(LINES, place) == line


# ---- presets

PRESETS = {path.stem: path.read_text() for path in (Path(__file__).parents[4] / "config" / "policies").glob("*.toml")}


def test_presets_load_and_their_examples_hold() -> None:
    assert set(load_policies(PRESETS)) == {"open", "team", "team-analysed", "strict"}


@pytest.mark.parametrize("name", PRESETS)
def test_leads_and_admins_of_the_web_decide_in_every_preset(name: str) -> None:
    policy = parse_policy(PRESETS[name], name)
    assert policy.approvers == {"leads": Group(web_roles=("lead", "admin"))}
    assert policy.default_approve == Demand(needs=(Need(groups=("leads",), need=1),))
    assert all(rule.examples.ask for rule in policy.rule)
    assert all(grant.network == () for grant in policy.profiles.values())
