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
    """People of a terminal have the roles of the web chat, and the marks that go with them."""
    marks = frozenset({f"web_roles:{person.role}"})
    return Actor(f"console:{person.id}", person.id, standing=marks, admin=person.role == ADMIN)
