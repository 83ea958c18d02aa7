"""Errors of the command line's grammar, in the one line that every error gets."""

from __future__ import annotations

import difflib
from typing import Any


def usage_line(error: Any) -> str:
    """One line, `OPTION: what is wrong, what is expected`, of a usage error of click's."""
    option = getattr(error, "option_name", None)
    command = error.ctx.command if error.ctx else None
    if option is not None and hasattr(error, "possibilities"):
        known = [name for p in (command.params if command else ()) for name in p.opts if name.startswith("-")]
        near = difflib.get_close_matches(option, known, 2)
        return f"{option}: no such option" + (f", did you mean {' or '.join(near)}?" if near else "")
    if option is not None:
        return f"{option}: takes no value" if "not take" in error.message else f"{option}: expected a value"
    param = getattr(error, "param", None)
    message = error.message.strip().rstrip(".")
    message = message[:1].lower() + message[1:]
    if param is None:
        return str(message)
    name = param.opts[0] if param.param_type_name == "option" else (param.metavar or param.name)
    help_text = (getattr(param, "help", None) or "a value").rstrip(".")
    return f"{name}: {message or f'missing, expected {help_text[:1].lower()}{help_text[1:]}'}"
