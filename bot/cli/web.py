"""`fencepost web adduser`: who may log in to the web chat."""

import argparse
import getpass
import os
import sys

from bot.cli.arguments import with_config, with_json
from bot.cli.machinery import settings_of
from bot.cli.terminal import answer, say
from bot.cli.trouble import DONE, Misused, Trouble

LEAST = 8


def arguments(parser: argparse.ArgumentParser) -> None:
    verbs = parser.add_subparsers(dest="verb", metavar="adduser", required=True)
    text = "add a user, or change what is given of one"
    verb = verbs.add_parser(
        "adduser",
        help=text,
        description=f"{text}. The password is asked for, or read from stdin; whoever has one and is given a role or"
        " channels keeps it where nothing is typed.",
    )
    verb.add_argument("name", metavar="NAME", help="lower-case letters, digits, . - and _")
    verb.add_argument("--role", action="append", choices=("member", "lead", "admin"), help="member by default")
    verb.add_argument("--channel", action="append", metavar="C", help="only these channels; all by default")
    verb.add_argument("--token", action="store_true", help="make a bearer token for the API, instead of a password")
    with_json(verb)
    with_config(verb)
    verb.set_defaults(run=adduser)


def adduser(args: argparse.Namespace) -> int:
    from adapters.web.users_file import UsersFileError, add_user, read_users  # noqa: PLC0415 - only where it is needed

    path = settings_of(args).settings.users_file
    try:
        known = {user.id for user in read_users(path) if user.password} if path.exists() else set()
        may_keep = args.name in known and bool(args.role or args.channel)
        password = None if args.token else _password(may_keep=may_keep)
        token = add_user(
            path, args.name, password=password, roles=args.role, channels=args.channel, with_token=args.token
        )
    except UsersFileError as error:
        raise Misused(f"{args.name} was not added.", f"{error}.", "Nothing was changed; try again.") from error
    except OSError as error:
        raise Trouble(f"{args.name} was not added.", f"{path}: {error.strerror}.", "Make it writable.") from error
    if args.json:
        answer({"id": args.name, "users_file": os.fspath(path), "token": token})
    elif token is not None:
        say(token)
        print("This is shown once. Send it as: Authorization: Bearer …", file=sys.stderr)  # noqa: T201
    else:
        say(f"{args.name} can log in ({path}).")
    return DONE


def _password(*, may_keep: bool) -> str | None:
    """None: it stays what it is."""
    if sys.stdin.isatty():
        password = getpass.getpass("Password (empty: as it is): " if may_keep else "Password: ")
        if may_keep and not password:
            return None
        if getpass.getpass("Again: ") != password:
            raise Misused("Nobody was added.", "The two passwords differ.", "Try again.")
    else:
        password = sys.stdin.readline().rstrip("\n")
        if may_keep and not password:
            return None
    if len(password) < LEAST:
        raise Misused("Nobody was added.", f"The password has fewer than {LEAST} characters.", "Take a longer one.")
    return password
