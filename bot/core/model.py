"""The base of everything that is saved: frozen, strict, and without room for keys that nobody declared."""

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """A value that is valid or does not exist; `model_dump_json` and `model_validate_json` are its codec."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
