"""Every setting, checked at start: `load` gives a Settings that holds, or one error that names the key and the fix.

`config/default.toml` documents each of them; a test holds the two together.
"""

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    StrictBool,
    StrictFloat,
    StrictInt,
    ValidationError,
    field_validator,
    model_validator,
)

from bot.core.config import ChannelConfig, ChannelLimits, Trigger
from bot.core.languages import DEFAULT_LANGUAGES
from bot.core.limits import MEMORY_CEILING_MB, TIMEOUT_CEILING_S
from bot.settings_docker import check_host, default_host
from bot.settings_layers import Layer, SettingsError, dotted, merged, toml_layer, tree_of, variable_layer, why

HOME = Path(__file__).resolve().parents[1]
"""The checkout, or wherever the packages were unpacked: `config` lies beside them."""

CONFIG_DIR = HOME / "config"
PRESETS = ("open", "team", "team-analysed", "strict")


def _given(value: object) -> object:
    if value == "":
        raise ValueError("It is empty")
    return value


Given = BeforeValidator(_given)
"""For a text that cannot be empty: an empty path would be the working directory."""


class Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    @field_validator("*", mode="before")
    @classmethod
    def _is_plain(cls, value: object) -> object:
        """No setting has a use for a character that cannot be seen, and the system's calls choke on some of them."""
        texts = value if isinstance(value, list | tuple) else (value,)
        if any(isinstance(text, str) and not text.isprintable() for text in texts):
            raise ValueError("There is a control character in it")
        return value


class DockerSettings(Section):
    """`host` empty: DOCKER_HOST, else the first socket that there is. `image` empty: the tag of config/images."""

    host: str = ""
    image: str = ""
    runtime: str = ""
    preload: tuple[str, ...] = ()

    @field_validator("host")
    @classmethod
    def _is_an_address(cls, value: str) -> str:
        if value:
            check_host(value)
        return value


class LimitSettings(Section):
    """The first five are `bot.core.config.ChannelLimits`; the rest is about sandboxes."""

    timeout_s: StrictFloat = Field(10.0, gt=0, le=TIMEOUT_CEILING_S)
    memory_mb: StrictInt = Field(512, ge=16, le=MEMORY_CEILING_MB)
    slots: StrictInt = Field(4, ge=1, le=64)
    queue: StrictInt = Field(20, ge=0, le=1000)
    per_user: StrictInt = Field(3, ge=1, le=1000)
    cpus: StrictFloat = Field(1.0, gt=0, le=64)
    workspace_mb: StrictInt = Field(128, ge=1, le=16384)
    tmp_mb: StrictInt = Field(64, ge=1, le=16384)
    shm_mb: StrictInt = Field(64, ge=1, le=16384)
    sleep_after_s: StrictFloat = Field(900.0, gt=0)
    reserve: StrictInt = Field(2, ge=0, le=100)
    sandboxes: StrictInt = Field(50, ge=1, le=10000)


class ChannelSettings(Section):
    """`trigger` empty: the platform's own (always on web and console)."""

    trigger: Trigger | Literal[""] = ""
    languages: tuple[str, ...] = ("python", "bash", "sh", "javascript")
    sources: tuple[str, ...] = ()
    echo: StrictBool = True

    @field_validator("sources")
    @classmethod
    def _are_ids(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if wrong := next((source for source in value if not all(source.partition(":"))), None):
            raise ValueError(f"{wrong!r} is not a bot's platform:id")
        return value


class WebSettings(Section):
    """`users_file` empty: `<data_dir>/users.json`."""

    host: Annotated[str, Given] = "127.0.0.1"
    port: StrictInt = Field(8137, ge=0, le=65535)
    channels: tuple[str, ...] = ("general",)
    users_file: str = ""
    allowed_hosts: tuple[str, ...] = ()
    cookies_over_tls: StrictBool = False
    demo_for_everyone: StrictBool = False


class LogSettings(Section):
    level: Literal["debug", "info", "warning", "error"] = "info"
    format: Literal["auto", "console", "json"] = "auto"


class Settings(Section):
    data_dir: Annotated[Path, Given] = Path("~/.local/share/fencepost")
    policy: Annotated[str, Given] = "team"
    docker: DockerSettings = DockerSettings()
    limits: LimitSettings = LimitSettings()
    channel: ChannelSettings = ChannelSettings()
    web: WebSettings = WebSettings()
    log: LogSettings = LogSettings()

    @model_validator(mode="after")
    def _agree(self) -> "Settings":
        if self.limits.per_user > self.limits.slots + self.limits.queue:
            raise ValueError("limits.per_user is more than limits.slots and limits.queue hold together")
        if self.limits.reserve > self.limits.sandboxes:
            raise ValueError("limits.reserve is more than limits.sandboxes allow")
        if not self.channel.languages:
            raise ValueError("channel.languages is empty, so nothing could ever run")
        if unknown := set(self.channel.languages) - set(DEFAULT_LANGUAGES.names):
            known = ", ".join(DEFAULT_LANGUAGES.names)
            raise ValueError(f"channel.languages names {min(unknown)!r}; there are {known}")
        return self

    @property
    def data(self) -> Path:
        return self.data_dir.expanduser().absolute()

    @property
    def users_file(self) -> Path:
        return Path(self.web.users_file).expanduser() if self.web.users_file else self.data / "users.json"

    def channel_config(self, trigger: Trigger) -> ChannelConfig:
        """The configuration of a channel on a platform whose own trigger is `trigger`."""
        limits = self.limits.model_dump(include=set(ChannelLimits.model_fields))
        return ChannelConfig(
            trigger=self.channel.trigger or trigger,
            languages=self.channel.languages,
            sources=self.channel.sources,
            echo=self.channel.echo,
            limits=ChannelLimits(**limits),
        )


@dataclass(frozen=True, slots=True)
class Loaded:
    """`names_policy`: whether somebody other than the defaults named one."""

    settings: Settings
    names_policy: bool


def load(config: Path | None = None, *, environ: Mapping[str, str] | None = None, cwd: Path | None = None) -> Loaded:
    """Settings from all layers. Raises SettingsError.

    `config` replaces the fencepost.toml of the working directory.
    """
    environ = os.environ if environ is None else environ
    layers = [toml_layer(CONFIG_DIR / "default.toml")]
    local = (cwd or Path.cwd()) / "fencepost.toml"
    if config is not None:
        layers.append(toml_layer(config))
    elif local.is_file():
        layers.append(toml_layer(local))
    layers.append(variable_layer(environ))
    settings = _validated(merged(layers))
    if not settings.docker.host:
        docker = settings.docker.model_copy(update={"host": _default_host(environ)})
        settings = settings.model_copy(update={"docker": docker})
    return Loaded(settings, names_policy=any(("policy",) in layer for layer in layers[1:]))


def _default_host(environ: Mapping[str, str]) -> str:
    host = default_host(environ)
    try:
        check_host(host)
    except ValueError as error:
        fix = "Set FENCEPOST_DOCKER__HOST to the engine's address."
        raise SettingsError("docker.host", "variable DOCKER_HOST", f"{error}.", fix) from None
    return host


def _validated(leaves: Layer) -> Settings:
    try:
        return Settings.model_validate(tree_of(leaves, Settings))
    except ValidationError as error:
        key = tuple(str(part) for part in error.errors(include_url=False)[0]["loc"])
        leaf = next((leaves[key[:n]] for n in range(len(key), 0, -1) if key[:n] in leaves), None)
        origin = leaf.origin if leaf else "together"
        raise SettingsError(
            dotted(key) or "settings",
            origin,
            why(error),
            "Change one of them." if leaf is None else "Change it; config/default.toml says what it may be.",
        ) from None


def secrets(model: BaseModel) -> Iterator[str]:
    """Every secret value in the settings, for the log to mask."""
    for name in type(model).model_fields:
        value = getattr(model, name)
        if isinstance(value, SecretStr) and value.get_secret_value():
            yield value.get_secret_value()
        elif isinstance(value, BaseModel):
            yield from secrets(value)


def instance_of(folder: Path, kind: str = "bot") -> str:
    """The label of the sandboxes that belong to a data directory: two bots on one engine never touch each other's."""
    return f"{kind}-{hashlib.sha256(str(folder.absolute()).encode()).hexdigest()[:12]}"


def make_private(folder: Path) -> Path:
    """The folder, made for its owner's eyes if it is not there; its parents are made as usual."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder
