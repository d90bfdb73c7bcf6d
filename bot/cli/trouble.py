"""What ends a command early: three lines for a person, and an exit code."""

DONE = 0
NO = 1
USAGE = 2
MACHINERY = 3


class Trouble(Exception):
    """`what` happened, `why`, and what to do about it (`fix`); each a sentence."""

    def __init__(self, what: str, why: str, fix: str, code: int = MACHINERY) -> None:
        super().__init__(what)
        self.what, self.why, self.fix, self.code = what, why, fix, code

    def lines(self) -> str:
        return f"error: {self.what}\n  why: {self.why}\n  fix: {self.fix}"


class Misused(Trouble):
    """The command line asks for something that there is not."""

    def __init__(self, what: str, why: str, fix: str) -> None:
        super().__init__(what, why, fix, USAGE)
