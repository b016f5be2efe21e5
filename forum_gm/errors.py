"""Errors of the program and its environment, each one clear Russian sentence with the remedy; a user's text never raises."""

from __future__ import annotations


class ForumGmError(Exception):
    """Base: `str(error)` is one Russian sentence for standard error. Exit code 1."""

    exit_code = 1


class UsageProblem(ForumGmError):
    """Wrong usage or configuration. Exit code 2."""

    exit_code = 2
