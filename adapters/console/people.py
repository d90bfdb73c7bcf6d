"""Who can be acted as in a terminal, and what the platform says of them."""

from dataclasses import dataclass
from typing import Literal

from bot.core.keys import Actor

Role = Literal["member", "lead", "admin"]


@dataclass(frozen=True, slots=True)
class Person:
    id: str
    role: Role


def actor(person: Person) -> Actor:
    """A person has the mark that policies name people of this role by: the console speaks of roles as the web does."""
    marks = frozenset({f"web_roles:{person.role}"})
    return Actor(f"console:{person.id}", person.id, standing=marks, admin=person.role == "admin")
