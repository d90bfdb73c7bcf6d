"""A channel's policy in sentences: one for each rule, then what becomes of everything else.

In the order in which a decision looks at them: what refuses, what asks, what allows.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from bot.core.languages import LanguageTable
from bot.core.model import Model
from bot.core.policy.decision import Demand, Effect
from bot.core.policy.fields import ANY
from bot.core.policy.rules import Grant, Match, Policy, Rule
from bot.core.policy.text import visible
from bot.core.views import texts

_ORDER = (Effect.DENY, Effect.ASK, Effect.ALLOW)
HASH_SHOWN = 8
MOST_NAMED = 4

_IN_WORDS = frozenset(
    "id effect why language code_sha256 limit profile match approve always taint_ok scope expires max_uses uses"
    " from_request added_by examples".split()
)
"""Fields of a rule that have words of their own here; any other one names facts, and is listed."""


@dataclass(frozen=True, slots=True)
class RuleText:
    """`id` is None for the default. `in_force`: not expired and not used up."""

    id: str | None
    effect: Effect
    text: str
    why: str = ""
    remembered: bool = False
    in_force: bool = True


@dataclass(frozen=True, slots=True)
class Reader:
    """Where and when it is read: `channel` as `str(ChannelKey)`, `now` in epoch seconds, `uses` as in the channel's
    state.
    """

    channel: str
    languages: LanguageTable
    now: float
    uses: Mapping[str, int] = field(default_factory=dict)


def policy_text(policy: Policy, remembered: Iterable[Rule], reader: Reader) -> tuple[RuleText, ...]:
    """Rules that are for other channels are left out."""
    every = [(rule, False) for rule in policy.rule] + [(rule, True) for rule in remembered]
    here = [(rule, kept) for rule, kept in every if rule.scope in (None, reader.channel)]
    here.sort(key=lambda pair: (_ORDER.index(pair[0].effect), pair[1], pair[0].id))
    return (*(_rule(rule, policy, reader, remembered=kept) for rule, kept in here), _default(policy))


def _rule(rule: Rule, policy: Policy, reader: Reader, *, remembered: bool) -> RuleText:
    match rule.effect:
        case Effect.ALLOW:
            text = _allows(rule, policy, reader.languages)
        case Effect.ASK:
            demand = _demand(rule.approve or policy.default_approve)
            text = f"{_found(rule, reader.languages)} needs {demand}{_always(rule)}"
        case Effect.DENY:
            text = f"{_found(rule, reader.languages)} is refused"
    expired = rule.expires is not None and rule.expires.timestamp() <= reader.now
    uses = rule.uses + reader.uses.get(rule.id, 0)
    used_up = rule.max_uses is not None and uses >= rule.max_uses
    return RuleText(
        rule.id,
        rule.effect,
        text + _bounds(rule, uses, expired=expired) + ".",
        why=visible(rule.why),
        remembered=remembered,
        in_force=not (expired or used_up),
    )


def _default(policy: Policy) -> RuleText:
    if policy.default == "deny":
        return RuleText(None, Effect.DENY, "Everything else is refused.")
    return RuleText(None, Effect.ASK, f"Everything else needs {_demand(policy.default_approve)}.")


def _allows(rule: Rule, policy: Policy, languages: LanguageTable) -> str:
    up_to = " and ".join(_at_most(pattern) for pattern in rule.limit)
    facts = _facts(rule)
    if rule.code_sha256 is None and rule.limit and not facts:
        return f"{_code(rule.language, languages)} may ask for {up_to}"
    subject = _subject(rule, rule.language, languages)
    if facts:
        subject += f" that does nothing beyond {facts}"
    asking = f", also with {up_to}" if rule.limit else ""
    grant = policy.profiles.get(rule.profile, Grant()) if rule.profile else Grant()
    return f"{subject} runs by itself{asking}, {_granted(grant)}"


def _found(rule: Rule, languages: LanguageTable) -> str:
    """What an ask or deny rule is about."""
    match = rule.match or Match()
    subject = _subject(rule, match.language or rule.language, languages)
    that = [f"asks for {' or '.join(_at_least(pattern) for pattern in match.limit)}"] if match.limit else []
    if facts := _facts(match):
        that.append(f"has {facts}")
    return f"{subject} that {' and '.join(that)}" if that else subject


def _facts(fields: Model) -> str:
    """`import: json, math; cmd: 12 patterns`."""
    found = []
    for name in type(fields).model_fields:
        value = getattr(fields, name)
        if name in _IN_WORDS or not value:
            continue
        if isinstance(value, tuple) and len(value) <= MOST_NAMED and all(isinstance(each, str) for each in value):
            found.append(f"{name}: {', '.join(map(visible, value))}")
        else:
            found.append(f"{name}: {texts.plural(len(value), 'pattern') if isinstance(value, tuple) else value}")
    return "; ".join(found)


def _subject(rule: Rule, names: tuple[str, ...], languages: LanguageTable) -> str:
    if rule.code_sha256 is None:
        return _code(names, languages)
    return f"Exactly the {_named(names, languages)}code {rule.code_sha256[:HASH_SHOWN]}"


def _code(names: tuple[str, ...], languages: LanguageTable) -> str:
    named = _named(names, languages)
    return f"{named}code" if named else "Code in any language"


def _named(names: tuple[str, ...], languages: LanguageTable) -> str:
    """`Python, Bash and Shell `, or nothing for every language."""
    if not names or ANY in names:
        return ""
    known = [(language.display if (language := languages.find(name)) else name) for name in names]
    return texts.listed(list(dict.fromkeys(known))) + " "


def _at_most(pattern: str) -> str:
    match pattern.split(" "):
        case ["timeout", "*"]:
            return "any timeout"
        case ["memory", "*"]:
            return "any amount of memory"
        case ["timeout", amount, unit]:
            return f"a timeout of up to {amount} {unit}"
        case ["memory", amount, unit]:
            return f"up to {amount} {unit} of memory"
        case _:
            return "any limit"


def _at_least(pattern: str) -> str:
    match pattern.split(" "):
        case ["timeout", "*"]:
            return "a longer timeout than usual"
        case ["memory", "*"]:
            return "more memory than usual"
        case ["timeout", amount, unit]:
            return f"a timeout of {amount} {unit} or more"
        case ["memory", amount, unit]:
            return f"{amount} {unit} of memory or more"
        case _:
            return "more than the usual limits"


def _granted(grant: Grant) -> str:
    network = "with network to " + texts.listed(list(grant.network)) if grant.network else "without network"
    workspace = {"rw": "with the workspace", "ro": "with the workspace read-only", "none": "without the workspace"}
    timeout = [f"for at most {grant.timeout_s:g} s"] if grant.timeout_s is not None else []
    memory = [f"with at most {grant.memory_mb} MB"] if grant.memory_mb is not None else []
    return ", ".join([network, workspace[grant.workspace], *timeout, *memory])


def _demand(demand: Demand) -> str:
    own = ", not whoever asked" if demand.not_requester else ""
    reason = ", with a reason" if demand.reason else ""
    return f"{texts.needed(demand.needs)}{own}{reason}, within {texts.seconds(demand.within_s)}"


def _always(rule: Rule) -> str:
    return ", even for remembered code" if rule.always else ""


def _bounds(rule: Rule, uses: int, *, expired: bool) -> str:
    words = []
    if rule.expires is not None:
        words.append(f"{'expired on' if expired else 'until'} {texts.day(rule.expires.timestamp())}")
    if rule.max_uses is not None:
        words.append(f"{uses} of {rule.max_uses} uses gone")
    return f" ({', '.join(words)})" if words else ""
