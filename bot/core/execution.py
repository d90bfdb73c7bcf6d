"""From what was approved to what the sandbox is given: nothing more than the decision's profile grants."""

from bot.core.state import Request
from executor.types import Code, Execution, InputFile, Limits


def execution_of(request: Request, files: tuple[InputFile, ...] = (), *, echo: bool = False) -> Execution:
    """The execution of a running request; `files` are the contents of `request.snapshot.files`."""
    if request.execution is None:
        raise ValueError(f"request {request.id} has no execution")
    profile = request.decision.profile
    return Execution(
        id=request.execution,
        requester=request.requester,
        blocks=tuple(
            Code(
                language=block.language,
                text=block.code,
                filename=block.filename,
                args=block.args,
                stdin=None if block.stdin is None else block.stdin.encode(),
            )
            for block in request.snapshot.blocks
        ),
        limits=Limits(timeout_s=profile.timeout_s, memory_mb=profile.memory_mb),
        files=files,
        workspace=profile.workspace,
        echo=echo,
    )
