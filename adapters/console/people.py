"""Who can be acted as in a terminal."""

from dataclasses import dataclass

from bot.core.keys import Actor

ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class Person:
    """`role` is member, lead or admin."""

    id: str
    role: str


def actor(person: Person) -> Actor:
    """A terminal has no groups that could be looked up: a policy that is to know its people names them."""
    return Actor(f"console:{person.id}", person.id, standing=frozenset(), admin=person.role == ADMIN)
