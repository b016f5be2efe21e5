"""Who may use the desk: names with Argon2id password hashes, in one file of the campaign's folder that only its owner can read.

No default password exists. Until somebody has one, the desk offers a one-time link, printed where the service was started.
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from forum_gm.errors import UsageProblem

MIN_PASSWORD = 10
"""Characters; longer beats stranger."""


@dataclass
class Accounts:
    """The desk's accounts. `path` holds `{name: hash}` as JSON, mode 0600."""

    path: Path
    hasher: PasswordHasher = field(default_factory=PasswordHasher)
    setup_token: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    """Opens the first-password page while there is no account."""

    def names(self) -> list[str]:
        """Names with a password, sorted."""
        return sorted(self._read())

    def needs_setup(self) -> bool:
        """True while nobody has a password."""
        return not self._read()

    def may_set_up(self, token: str) -> bool:
        """True for the one-time token while it is valid."""
        return self.needs_setup() and hmac.compare_digest(token.encode(), self.setup_token.encode())

    def set_password(self, name: str, password: str) -> None:
        """Adds a name or changes its password.

        Raises `UsageProblem` for an empty name or a password that is too short."""
        name = name.strip()
        if not name:
            raise UsageProblem("Укажите имя мастера.")
        if len(password) < MIN_PASSWORD:
            raise UsageProblem(f"Пароль короче {MIN_PASSWORD} знаков.")
        known = self._read()
        known[name] = self.hasher.hash(password)
        self._write(known)

    def check(self, name: str, password: str) -> bool:
        """True for the right password. Takes as long for an unknown name as for a wrong password."""
        known = self._read()
        stored = known.get(name.strip())
        try:
            self.hasher.verify(stored or self._decoy(), password)
        except (VerificationError, InvalidHashError):
            return False
        if stored is None:
            return False
        if self.hasher.check_needs_rehash(stored):
            known[name.strip()] = self.hasher.hash(password)
            self._write(known)
        return True

    def _decoy(self) -> str:
        if not hasattr(self, "_decoy_hash"):
            self._decoy_hash: str = self.hasher.hash(secrets.token_hex(16))
        return self._decoy_hash

    def _read(self) -> dict[str, str]:
        if not self.path.exists():
            return {}
        raw = json.loads(self.path.read_text("utf-8"))
        return {str(name): str(value) for name, value in raw.items()}

    def _write(self, known: dict[str, str]) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        part = self.path.with_suffix(".part")
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(known, file, ensure_ascii=False, indent=1)
        os.replace(part, self.path)
