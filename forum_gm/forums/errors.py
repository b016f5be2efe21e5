"""Everything a forum can refuse, each with one Russian sentence that says what the GM should do (promise 6)."""

from __future__ import annotations

from datetime import timedelta
from typing import ClassVar

from forum_gm.errors import ForumGmError


class ForumError(ForumGmError):
    """A forum did not do what was asked. `str()` is a whole Russian sentence for the GM."""

    advice: ClassVar[str] = "Форум не выполнил запрос; посмотрите страницу в браузере и повторите."
    retry: ClassVar[bool] = False
    """True: trying again later, without anybody's help, makes sense."""

    def __init__(self, detail: str = "", *, where: str = "") -> None:
        self.detail = detail
        """The forum's own words, where it gave some."""
        self.where = where
        """The page's address, without session ids."""
        super().__init__(self.sentence())

    def sentence(self) -> str:
        """What happened and what to do, in Russian."""
        said = f" Форум ответил: «{self.detail}»." if self.detail else ""
        place = f" ({self.where})" if self.where else ""
        return f"{self.advice}{said}{place}"


class Unreachable(ForumError):
    """The board does not answer (connection refused, no such host, time-outs, 5xx) after all retries."""

    advice = "Форум не отвечает; проверьте, открывается ли он в браузере — попробую снова позже."
    retry = True
    retry_after: float | None = None
    """Seconds the board asks to wait."""


class NotSent(Unreachable):
    """The connection failed before anything was sent: repeating is safe."""


class AnswerLost(Unreachable):
    """A request was sent and no usable answer came: the board may or may not have carried it out."""

    advice = "Ответ форума потерялся по дороге; проверю, дошёл ли запрос."


class CircuitOpen(ForumError):
    """Too many failures in a row: nothing is sent until the pause is over."""

    advice = "Форум много раз подряд не ответил, поэтому я перестал его тревожить; проверьте его в браузере."
    retry = True

    def __init__(self, wait: timedelta, *, where: str = "") -> None:
        self.wait = wait
        super().__init__(where=where)

    def sentence(self) -> str:
        """Adds when it will be tried again."""
        return f"{self.advice} Следующая попытка — через {max(1, round(self.wait.total_seconds() / 60))} мин."


class Maintenance(ForumError):
    """The board is switched off by its administrators."""

    advice = "Форум закрыт на обслуживание; подождите, пока администраторы его откроют."
    retry = True


class Protected(ForumError):
    """A protection page (Cloudflare and the like) stands before the board."""

    advice = "Форум закрыт защитой от роботов (проверка браузера); попросите администратора пропускать программу ведущего."


class TooManyRequests(ForumError):
    """The board (or its front) asks to come less often."""

    advice = "Форум просит обращаться реже; увеличьте паузу между запросами в config.toml."
    retry = True
    retry_after: float | None = None
    """Seconds the board asks to wait."""


class NotATopic(ForumError):
    """The page looks like a topic but no post could be read from it: never «no new posts»."""

    advice = (
        "Страница похожа на тему, но сообщений на ней не видно: вероятно, на форуме сменилось оформление — "
        "проверьте её командой forum-gm check."
    )


class UnknownEngine(ForumError):
    """No known forum engine made this page."""

    advice = "Не узнаю движок форума; укажите его ключом --engine или опишите страницу файлом профиля."


class NotFound(ForumError):
    """The topic, post or message is not there (any more), or not for us."""

    advice = "Такой темы или сообщения нет (удалено, перенесено или ждёт одобрения); проверьте адрес."


class Forbidden(ForumError):
    """We are logged in, but may not do this."""

    advice = "У учётной записи ведущего нет на это прав; попросите администратора форума их дать."


class LoginNeeded(ForumError):
    """The board shows its login form instead of what was asked."""

    advice = "Форум требует войти; укажите учётную запись ведущего в config.toml."


class LoginFailed(ForumError):
    """Wrong name or password."""

    advice = "Форум не принял имя или пароль; проверьте их в config.toml — сам я больше пробовать не буду."


class LoginCaptcha(ForumError):
    """The board wants a captcha solved: no further attempt is made until the GM has logged in by hand."""

    advice = (
        "Форум требует ввести код с картинки; войдите этой учётной записью в браузере и удалите cookies.txt в папке кампании."
    )


class LoginTooSoon(ForumError):
    """The last login attempt was less than a minute ago."""

    advice = "Последняя попытка входа была меньше минуты назад; подождите минуту."
    retry = True


class Banned(ForumError):
    """The account or address is banned."""

    advice = "Доступ к форуму закрыт (бан); обратитесь к администратору форума."


class TopicLocked(ForumError):
    """The topic is closed."""

    advice = "Тема закрыта; откройте её или укажите другую в config.toml."


class ForumLocked(TopicLocked):
    """The whole forum is closed: opening the topic would not help."""

    advice = "Раздел закрыт целиком; попросите администратора открыть его или укажите тему в другом разделе в config.toml."


class Flood(ForumError):
    """The board still refuses because of its flood interval after all waits."""

    advice = (
        "Форум не даёт писать так часто; увеличьте flood_wait в config.toml или попросите снять ограничение с учётной записи."
    )
    retry = True


class FormRejected(ForumError):
    """The form was refused again and again (token, preview page) though it was sent as asked."""

    advice = "Форум раз за разом возвращает форму без объяснений; попробуйте написать этой учётной записью в браузере."


class TooLong(ForumError):
    """The message is longer than the board takes."""

    advice = "Сообщение слишком длинное для форума; уменьшите предел длины (max_chars) в config.toml, и я разобью его на части."

    def __init__(self, detail: str = "", *, limit: int | None = None, where: str = "") -> None:
        self.limit = limit
        """The board's limit in characters, where it said one."""
        super().__init__(detail, where=where)


class BadInput(ForumError):
    """The board refuses the content (empty, bad subject, forbidden word …)."""

    advice = "Форум не принял текст сообщения; поправьте его и опубликуйте снова."


class AttachmentRefused(ForumError):
    """File too big, of a forbidden kind, or the quota is used up."""

    advice = "Форум не принял вложение; уменьшите файл, освободите место или опубликуйте ссылку на архив."


class NoSuchUser(ForumError):
    """A recipient's name does not exist on the board."""

    advice = "Такого пользователя на форуме нет; проверьте имя получателя в config.toml."


class InboxFull(ForumError):
    """The recipient's or our own message box is full."""

    advice = "Ящик личных сообщений переполнен; попросите получателя (или сами) удалить старые сообщения."


class EditConflict(ForumError):
    """The post was changed by somebody else since it was read."""

    advice = "Сообщение тем временем изменил кто-то другой; посмотрите его и решите, чей текст оставить."


class EditTimeOver(ForumError):
    """The board does not let the post be edited (any longer)."""

    advice = "Это сообщение больше нельзя править; опубликуйте исправление новым сообщением."


class Undecided(ForumError):
    """Nothing can tell whether a write was carried out: the GM must look and decide. It is never sent again by itself."""

    advice = "Форум не ответил, и неясно, дошло ли сообщение: ни в теме, ни в исходящих его не видно."

    def __init__(self, key: str, what: str, *, where: str = "") -> None:
        self.key = key
        """The intent to be settled by `Writer.settle`."""
        self.what = what
        """What was being written, in Russian."""
        super().__init__(where=where)

    def sentence(self) -> str:
        """Names what was being written and asks."""
        place = f" ({self.where})" if self.where else ""
        return (
            f"Форум не ответил, и неясно, дошло ли до него: {self.what}{place}. Ни в теме, ни в исходящих этого не видно. "
            "Посмотрите сами: если этого там нет, велите отправить ещё раз."
        )


class Unsupported(ForumError):
    """This engine (or this account) can't do that at all."""

    advice = "На этом форуме так нельзя; сделайте это в браузере."


class BadProfile(ForumError):
    """A profile file can't be used."""

    advice = "Файл профиля форума с ошибкой; поправьте его по docs/форумы.md."
