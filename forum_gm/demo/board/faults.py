"""Switches for everything that goes wrong on real boards: set from Python, or on the command line for a rehearsal."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum


class FaultKind(StrEnum):
    """What goes wrong."""

    TIMEOUT_BEFORE = "timeout-before"
    """The request hangs and is never carried out."""
    TIMEOUT_AFTER = "timeout-after"
    """The request is carried out, the answer never comes."""
    STORE_LATE = "store-late"
    """The answer never comes, and the request is carried out only later."""
    GATEWAY_BEFORE = "502-before"
    GATEWAY_AFTER = "502-after"
    CUT_BEFORE = "cut-before"
    """The connection breaks before the request is carried out."""
    CUT_AFTER = "cut-after"
    LOGIN = "login"
    """The board forgets who we are and shows its login form."""
    LOGIN_REDIRECT = "login-redirect"
    """The board forgets who we are and leads to its login page."""
    LOGIN_AFTER = "login-after"
    """The request is carried out, and then the login form is shown."""
    REVIEW = "review"
    """Somebody posts in between."""
    CROSSED = "crossed"
    """Somebody else edits the post in between."""
    PREVIEW = "preview"
    """The board shows the preview instead of posting."""
    FLOOD = "flood"
    TOKEN = "token"
    """«Ошибка отправки формы»."""
    SILENT = "silent"
    """Redirects as if it had posted, without posting (phpBB 3.0–3.2.3: form sent back too soon)."""
    INBOX_FULL = "inbox-full"
    QUOTA = "quota"
    APPROVAL = "approval"
    TOO_LONG = "too-long"
    LOCKED = "locked"
    FORUM_LOCKED = "forum-locked"
    FORBIDDEN = "forbidden"
    MAINTENANCE = "maintenance"
    CLOUDFLARE = "cloudflare"
    CAPTCHA = "captcha"
    """Login wants a picture read."""
    THROTTLE = "throttle"
    """Too many wrong passwords: login wants a picture read, the right password fails too."""
    TOO_MANY = "429"
    UNAVAILABLE = "503"
    """The server before the board is overloaded and says when to come again (Retry-After)."""
    NEW_LOOK = "new-look"
    """A template without the marks a reader needs."""


RUSSIAN: dict[FaultKind, str] = {
    FaultKind.TIMEOUT_BEFORE: "форум молчит, ничего не сохранив",
    FaultKind.TIMEOUT_AFTER: "форум сохранил и молчит",
    FaultKind.STORE_LATE: "форум молчит и сохраняет позже",
    FaultKind.GATEWAY_BEFORE: "502, ничего не сохранено",
    FaultKind.GATEWAY_AFTER: "502, но сохранено",
    FaultKind.CUT_BEFORE: "обрыв связи до сохранения",
    FaultKind.CUT_AFTER: "обрыв связи после сохранения",
    FaultKind.LOGIN: "сеанс пропал, форма входа",
    FaultKind.LOGIN_REDIRECT: "сеанс пропал, переход на страницу входа",
    FaultKind.LOGIN_AFTER: "сохранено, но показана форма входа",
    FaultKind.REVIEW: "кто-то написал раньше нас",
    FaultKind.CROSSED: "кто-то изменил сообщение раньше нас",
    FaultKind.PREVIEW: "предпросмотр вместо отправки",
    FaultKind.FLOOD: "запрет писать так часто",
    FaultKind.TOKEN: "форма устарела",
    FaultKind.SILENT: "делает вид, что сохранил",
    FaultKind.INBOX_FULL: "ящик получателя полон",
    FaultKind.QUOTA: "место для вложений кончилось",
    FaultKind.APPROVAL: "сообщение ждёт одобрения",
    FaultKind.TOO_LONG: "сообщение слишком длинное",
    FaultKind.LOCKED: "тема закрыта",
    FaultKind.FORUM_LOCKED: "раздел закрыт",
    FaultKind.FORBIDDEN: "нет прав",
    FaultKind.MAINTENANCE: "форум на обслуживании",
    FaultKind.CLOUDFLARE: "проверка браузера Cloudflare",
    FaultKind.CAPTCHA: "вход просит код с картинки",
    FaultKind.THROTTLE: "вход закрыт после неверных паролей",
    FaultKind.TOO_MANY: "429, приходите позже",
    FaultKind.UNAVAILABLE: "503, сервер перегружен, приходите позже",
    FaultKind.NEW_LOOK: "сменилось оформление",
}

OPERATIONS = ("reply", "topic", "edit", "delete", "upload", "message", "lock", "login", "read", "write", "any")
"""What a fault may be tied to; `write` is any of reply, topic, edit, delete, message, lock."""
USUAL_PLACES = {
    FaultKind.CAPTCHA: "login",
    FaultKind.THROTTLE: "login",
    FaultKind.INBOX_FULL: "message",
    FaultKind.QUOTA: "upload",
    FaultKind.REVIEW: "reply",
    FaultKind.CROSSED: "edit",
    FaultKind.NEW_LOOK: "read",
}
"""Where a fault strikes when nothing is said; elsewhere any write."""
WRITES = frozenset({"reply", "topic", "edit", "delete", "message", "lock"})


@dataclass(slots=True)
class Fault:
    """One thing that will go wrong."""

    kind: FaultKind
    on: str = "any"
    """One of `OPERATIONS`."""
    times: int = 1
    """How often; negative: until removed."""
    skip: int = 0
    """So many matching requests go well first."""
    delay: float = 30.0
    """For `store-late`: when it is carried out, in seconds of the board's clock; for `429` and `503`: Retry-After."""

    def matches(self, operation: str) -> bool:
        """Whether it is about such a request."""
        return self.on in ("any", operation) or (self.on == "write" and operation in WRITES)

    def __str__(self) -> str:
        often = "всегда" if self.times < 0 else f"раз: {self.times}"
        return f"{RUSSIAN[self.kind]} ({self.kind.value}@{self.on}, {often})"

    @classmethod
    def parse(cls, text: str) -> Fault:
        """From a command line's word: `КАК[@ГДЕ][*СКОЛЬКО]`, e.g. `502-after@reply*2`. `ValueError`."""
        rest, _, times = text.partition("*")
        kind, _, on = rest.partition("@")
        if on and on not in OPERATIONS:
            raise ValueError(f"не знаю действия «{on}»; есть: {', '.join(OPERATIONS)}")
        try:
            what = FaultKind(kind)
            return cls(what, on or USUAL_PLACES.get(what, "write"), int(times) if times else 1)
        except ValueError as error:
            raise ValueError(f"не понимаю сбой «{text}»; есть: {', '.join(kind.value for kind in FaultKind)}") from error


class Faults:
    """The faults that are switched on."""

    def __init__(self) -> None:
        self.waiting: list[Fault] = []
        self.struck: Counter[FaultKind] = Counter()
        """How often each has made a difference."""

    def add(self, *faults: Fault) -> None:
        """Switches faults on."""
        self.waiting.extend(faults)

    def clear(self) -> None:
        """Switches all off."""
        self.waiting.clear()

    def obey(self, words: str) -> str:
        """A line of the rehearsal's console: a fault to switch on, «нет» for none, «что» for what is on. Says what it did."""
        words = words.strip()
        if words.lower() in ("нет", "ничего"):
            self.clear()
            return "Сбоев больше нет."
        if words.lower() != "что":
            try:
                self.add(Fault.parse(words))
            except ValueError as error:
                return f"Не вышло: {error}."
        left = [fault for fault in self.waiting if fault.times != 0]
        return "Ждут своего часа: " + ("; ".join(str(fault) for fault in left) or "ничего") + "."

    def take(self, operation: str) -> Fault | None:
        """The fault that strikes this request, if any; used up."""
        for fault in self.waiting:
            if not fault.matches(operation):
                continue
            if fault.skip > 0:
                fault.skip -= 1
                continue
            if fault.times == 0:
                continue
            fault.times -= 1
            return fault
        return None
