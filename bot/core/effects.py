"""Intents of the core that someone else carries out.

An effect is owed from the transaction that saved it until it is settled; after a restart it is performed again with
the same `key`, which therefore has to be an idempotency key for whoever carries it out. A later effect with the same
key replaces an earlier one that has not been performed yet.
"""

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from bot.core.model import Model


class ShowAnswer(Model):
    """Make the answer of this request look as the state says at the moment of performing: post it or edit it in
    place.
    """

    kind: Literal["show_answer"] = "show_answer"
    request: str
    answer: str

    @property
    def key(self) -> str:
        return f"show:{self.answer}"


class ShowNotice(Model):
    """Post or edit the notice with this key (a hint about a fence, a sentence to the channel)."""

    kind: Literal["show_notice"] = "show_notice"
    notice: str

    @property
    def key(self) -> str:
        return f"show:{self.notice}"


class RemovePost(Model):
    """Delete the bot's own message that was posted with the key `post`, if it exists on the platform."""

    kind: Literal["remove_post"] = "remove_post"
    post: str
    message: str | None

    @property
    def key(self) -> str:
        return f"remove:{self.post}"


class StartExecution(Model):
    """Lease a sandbox, look the voters up again, ask the core by `ExecutionReady`, then run."""

    kind: Literal["start_execution"] = "start_execution"
    request: str

    @property
    def key(self) -> str:
        return f"start:{self.request}"


class StopExecution(Model):
    """End this execution in its sandbox, now. Its `ExecutionEnded` still follows."""

    kind: Literal["stop_execution"] = "stop_execution"
    request: str
    execution: str

    @property
    def key(self) -> str:
        return f"stop:{self.execution}"


class ChangeHalt(Model):
    """Halt or resume the whole bot; every channel then gets `HaltChanged`."""

    kind: Literal["change_halt"] = "change_halt"
    halted: bool
    by: str

    @property
    def key(self) -> str:
        return "halt"


Effect = ShowAnswer | ShowNotice | RemovePost | StartExecution | StopExecution | ChangeHalt
effect_codec: TypeAdapter[Effect] = TypeAdapter(Annotated[Effect, Field(discriminator="kind")])
