"""``aucmax completion``: scripts for shells, made from the parser itself."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from aucmax.cli.output import say
from aucmax.cli.parser import build_parser

BASH = """_aucmax() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" words=""
  case "${{COMP_WORDS[1]}}" in
{cases}
  esac
  [ "$COMP_CWORD" -eq 1 ] && words="{commands}"
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [ "${{current:0:1}}" != "-" ] && [ "$COMP_CWORD" -gt 1 ] && COMPREPLY+=($(compgen -f -- "$current"))
}}
complete -o filenames -F _aucmax aucmax
"""


def completion(options: Any) -> int:
    """Print the script of a shell."""
    commands = {name: _options(parser) for name, parser in _commands(build_parser()).items()}
    if options.shell == "fish":
        lines = [f"complete -c aucmax -n __fish_use_subcommand -a {name}" for name in commands]
        for name, words in commands.items():
            lines += [f"complete -c aucmax -n '__fish_seen_subcommand_from {name}' -l {word[2:]}" for word in words]
        say(sys.stdout, *lines)
        return 0
    cases = "\n".join(f'    {name}) words="{" ".join(words)}" ;;' for name, words in commands.items())
    head = "autoload -U +X bashcompinit && bashcompinit\n" if options.shell == "zsh" else ""
    say(sys.stdout, *(head + BASH.format(cases=cases, commands=" ".join(commands))).rstrip().split("\n"))
    return 0


def _commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    found = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    return dict(found.choices)


def _options(parser: argparse.ArgumentParser) -> list[str]:
    return [word for action in parser._actions for word in action.option_strings if word.startswith("--")]
