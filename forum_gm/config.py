"""config.toml → Settings. Every key is described here once; `config.example.toml` and `forum-gm init` are written from it.

Passwords are never in the file: they come from the environment or from a file that only its owner may read.
"""

from __future__ import annotations

import os
import stat
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator, model_validator

from forum_gm.errors import UsageProblem
from forum_gm.wording import trouble
from rules.complaints import complaint

FILE_NAME = "config.toml"


class Part(BaseModel):
    """Base of the file's tables: unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class CampaignPart(Part):
    """Кампания"""

    id: str = Field(
        "campaign",
        pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$",
        description="Короткое имя: латиница, цифры, - и _. Им помечена каждая строка базы данных; потом не менять.",
    )
    title: str = Field("", description="Название для игроков; пусто: из сценария.")
    ruleset: str = Field("astral", description="Правила: astral, steel_rose, grand_strategy или имя установленного дополнения.")
    scenario: str = Field("scenario.toml", description="Файл сценария в папке кампании; пусто: сценарий правил по умолчанию.")
    timezone: str = Field("Europe/Moscow", description="Часовой пояс, в котором называются сроки.")
    database: str = Field(
        "", description="Адрес базы данных (например, postgresql+psycopg://…); пусто: файл campaign.sqlite3 в папке кампании."
    )

    @field_validator("timezone")
    @classmethod
    def known_zone(cls, value: str) -> str:
        """A zone that exists."""
        try:
            ZoneInfo(value)
        except (KeyError, ValueError, OSError) as error:
            raise ValueError(f"нет часового пояса «{value}»") from error
        return value


class ForumPart(Part):
    """Форум"""

    engine: str = Field("phpbb3", description="Движок: phpbb3, phpbb30, phpbb2 или файл профиля .toml (только чтение).")
    url: str = Field("", description="Адрес форума, как в браузере: https://forum.example.ru/")
    user: str = Field("", description="Имя учётной записи ведущего-программы.")
    account_id: str = Field("", description="Номер этой учётной записи на форуме; пусто: узнать при входе.")
    password_env: str = Field("FORUM_GM_PASSWORD", description="Переменная окружения с паролем.")
    password_file: str = Field("", description="Или файл с паролем; читать его должен только владелец (chmod 600).")
    forum_id: int = Field(0, ge=0, description="Номер раздела (f=…): нужен движкам до phpBB 3.3.5; 0: не нужен.")
    pause: float = Field(2.0, ge=0, le=600, description="Пауза между запросами, секунд.")
    timeout: float = Field(30.0, gt=0, le=600, description="Сколько секунд ждать ответа форума.")
    form_age: float = Field(2.0, ge=0, le=60, description="Сколько секунд форма должна побыть открытой до отправки.")
    flood_interval: float = Field(15.0, ge=0, le=3600, description="Пауза форума между двумя сообщениями одного автора, секунд.")
    bbcode_source: bool = Field(True, description="Читать исходный BBCode сообщений, где форум разрешает (точнее, чем страница).")


class BoardPart(Part):
    """Что умеет показывать форум"""

    spoiler: str = Field(
        "", description="Тег спойлера без скобок, например spoiler; пусто: спойлеров нет, подробности идут текстом."
    )
    tables: bool = Field(False, description="Есть ли тег [table] со строками [tr] и клетками [td].")
    colours: bool = Field(True, description="Работает ли [color=#…].")
    attachments: bool = Field(True, description="Можно ли прикладывать файлы.")
    attachment_kb: int = Field(
        256, ge=1, le=100_000, description="Предел размера вложения, КБ; большее не прикладывается, остаётся в архиве."
    )
    max_chars: int = Field(60_000, ge=1000, le=1_000_000, description="Предел длины сообщения, знаков; длинное делится на части.")
    archive_url: str = Field(
        "", description="Внешний адрес архива кампании (…/c/имя), если он открыт для всех: ссылки на карты и PDF."
    )


class ChannelsPart(Part):
    """Где играют"""

    topic: int = Field(0, ge=0, description="Номер общей темы (t=…): оттуда читаются приказы, туда идут итоги.")
    messages: bool = Field(True, description="Принимать приказы и личными сообщениями ведущему.")
    secret_in_public: Literal["warn", "accept"] = Field(
        "warn",
        description="Тайный приказ в общей теме считается всегда; warn: автор предупреждён, accept: на этом форуме так принято.",
    )
    private_pdf: bool = Field(
        False,
        description="Прикладывать к итогам в закрытой теме стороны PDF с тем, что известно ей (закрытые темы: players.topic).",
    )


class Account(Part):
    """Учётная запись"""

    id: str = Field("", description="Номер на форуме (u=…).")
    name: str = Field("", description="Имя на форуме: для обращений и личных сообщений.")
    since: int = Field(1, ge=1, description="С какого шага она говорит за эту сторону.")
    until: int = Field(0, ge=0, description="По какой шаг; 0: до конца.")


class PlayerPart(Part):
    """Игрок"""

    faction: str = Field("", description="Сторона: имя из сценария.")
    accounts: tuple[Account, ...] = Field((), description="Кто за неё говорит: игрок и его заместители.")
    topic: int = Field(0, ge=0, description="Номер закрытой темы этой стороны; 0: нет, общаться личными сообщениями.")


class GmPart(Part):
    """Мастер"""

    accounts: tuple[Account, ...] = Field(
        (), description="Учётные записи мастеров: их приказы мастера исполняются, им идут вопросы."
    )
    notify: bool = Field(True, description="Присылать мастеру вопросы программы личным сообщением.")


class TimePart(Part):
    """Сроки"""

    hours_factor: float = Field(1.0, gt=0, le=100, description="Множитель часов из правил: 2 — играть вдвое медленнее.")
    round_minutes: int = Field(
        60, ge=0, le=1440, description="Сроки округляются вверх до целого числа минут от полуночи (60: до часа); 0: не округлять."
    )
    close_early: bool = Field(False, description="Закрывать шаг раньше срока, когда ответили все.")
    reminders: tuple[float, ...] = Field((24.0, 3.0), description="За сколько часов до срока напомнить тем, кто молчит.")
    poll_minutes: float = Field(5.0, gt=0, le=1440, description="Как часто смотреть, есть ли новое, минут.")
    reread_minutes: float = Field(60.0, gt=0, le=10_080, description="Как часто перечитывать сообщения шага ради правок, минут.")


class ReviewPart(Part):
    """Проверка и публикация"""

    approve: Literal["gm", "auto"] = Field(
        "gm", description="auto: уверенно понятые приказы принимаются без мастера; неуверенные никогда."
    )
    publish: Literal["gm", "auto"] = Field("gm", description="auto: итоги публикуются без мастера.")
    acknowledge: Literal["message", "topic", "public", "none"] = Field(
        "message",
        description="Куда отвечать «понял так»: message — лично, topic — в закрытую тему, public — в общую, none — никуда.",
    )
    status_post: bool = Field(True, description="Вести в общей теме одно сообщение «приказы на ход»: кто прислал, кто нет, срок.")
    show_precedents: bool = Field(True, description="Показывать игрокам решения мастера о словах.")


class BackupPart(Part):
    """Копии"""

    every_hours: float = Field(
        24.0, ge=0, le=720, description="Как часто сохранять кампанию одним файлом, часов; 0: не сохранять."
    )
    keep: int = Field(14, ge=1, le=1000, description="Сколько последних копий хранить.")
    folder: str = Field("backups", description="Папка копий (от папки кампании).")


class DeskPart(Part):
    """Пульт мастера и архив"""

    host: str = Field("127.0.0.1", description="Адрес, на котором открыт пульт; 127.0.0.1: только эта машина.")
    port: int = Field(8321, ge=0, le=65_535, description="Порт пульта; 0: любой свободный.")
    secure_cookies: bool = Field(False, description="true, если пульт открыт по https.")


class Settings(Part):
    """The whole file."""

    campaign: CampaignPart = CampaignPart()
    forum: ForumPart = ForumPart()
    board: BoardPart = BoardPart()
    channels: ChannelsPart = ChannelsPart()
    gm: GmPart = GmPart()
    time: TimePart = TimePart()
    review: ReviewPart = ReviewPart()
    backup: BackupPart = BackupPart()
    desk: DeskPart = DeskPart()
    players: tuple[PlayerPart, ...] = Field((), description="Игроки.")

    @model_validator(mode="after")
    def one_place_each(self) -> Settings:
        """Each faction once."""
        names = [player.faction for player in self.players]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"сторона «{twice[0]}» записана дважды")
        return self

    @property
    def zone(self) -> ZoneInfo:
        """The campaign's time zone."""
        return ZoneInfo(self.campaign.timezone)

    def database_url(self, folder: Path) -> str:
        """Where the data is kept."""
        return self.campaign.database or f"sqlite:///{(folder / 'campaign.sqlite3').resolve()}"

    def player(self, faction: str) -> PlayerPart | None:
        """The entry of a faction."""
        return next((p for p in self.players if p.faction == faction), None)


# ---------------------------------------------------------------------------------------------------------- reading


def sentence(error: ValidationError, where: str) -> str:
    """The first problem of a validation as one Russian sentence naming the key."""
    key, reason = complaint(error)
    return f"{where}: {key}: {reason}." if key else f"{where}: {reason}."


def read_settings(folder: Path) -> Settings:
    """The settings of a campaign's folder. Raises `UsageProblem` with the key at fault."""
    path = folder / FILE_NAME
    try:
        raw = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError as error:
        raise UsageProblem(f"В папке {folder} нет {FILE_NAME}: создайте кампанию командой forum-gm init.") from error
    except OSError as error:
        raise UsageProblem(f"Не читается {path}: {trouble(error)}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageProblem(f"{FILE_NAME}: ошибка записи TOML: {error}.") from error
    return settings_from(raw)


def settings_from(raw: Mapping[str, Any]) -> Settings:
    """Settings of parsed TOML. Raises `UsageProblem`."""
    try:
        return Settings.model_validate(raw)
    except ValidationError as error:
        raise UsageProblem(sentence(error, FILE_NAME)) from error


def password(forum: ForumPart, folder: Path, environment: Mapping[str, str] = os.environ) -> SecretStr | None:
    """The forum password; None: the forum is read as a guest. Raises `UsageProblem`: not there, or readable by others."""
    if not forum.user:
        return None
    if forum.password_env and environment.get(forum.password_env):
        return SecretStr(environment[forum.password_env])
    if forum.password_file:
        path = folder / forum.password_file
        try:
            mode = path.stat().st_mode
            text = path.read_text("utf-8").strip("\r\n")
        except OSError as error:
            raise UsageProblem(f"Не читается файл с паролем {forum.password_file}: {trouble(error)}.") from error
        if os.name == "posix" and stat.S_IMODE(mode) & 0o077:
            raise UsageProblem(f"Файл с паролем {forum.password_file} могут читать другие: chmod 600 {forum.password_file}.")
        return SecretStr(text)
    raise UsageProblem(
        f"Нет пароля для «{forum.user}»: задайте переменную окружения {forum.password_env or 'FORUM_GM_PASSWORD'} "
        "или forum.password_file."
    )


# ---------------------------------------------------------------------------------------------------------- writing


def toml_value(value: Any) -> str:
    """A value in TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        escaped = "".join(
            f"\\u{ord(c):04x}" if ord(c) < 32 or c == "\x7f" else c for c in value.replace("\\", "\\\\").replace('"', '\\"')
        )
        return f'"{escaped}"'
    if isinstance(value, BaseModel):
        shown = [(name, getattr(value, name)) for name in type(value).model_fields]
        return "{ " + ", ".join(f"{name} = {toml_value(item)}" for name, item in shown) + " }"
    return "[" + ", ".join(toml_value(item) for item in value) + "]"


def _table(part: Part, head: str, *, comments: bool) -> Iterator[str]:
    yield head
    for name, field in type(part).model_fields.items():
        if comments and field.description:
            yield f"# {field.description}"
        yield f"{name} = {toml_value(getattr(part, name))}"
    yield ""


def write_settings(settings: Settings, *, comments: bool = True) -> str:
    """The settings as a commented config.toml."""
    lines: list[str] = ["# Настройки кампании forum-gm. Пароль сюда не пишется: см. forum.password_env.", ""]
    for name in Settings.model_fields:
        if name == "players":
            continue
        part: Part = getattr(settings, name)
        if comments:
            lines.append(f"# {'-' * 12} {type(part).__doc__}")
        lines.extend(_table(part, f"[{name}]", comments=comments))
    if comments:
        lines.append(f"# {'-' * 12} Игроки: по одной таблице на сторону")
    for number, player in enumerate(settings.players):
        lines.extend(_table(player, "[[players]]", comments=comments and number == 0))
    if comments:
        account = "; ".join(f"{name}: {(field.description or '').rstrip('.')}" for name, field in Account.model_fields.items())
        lines.append(f"# Учётная запись в accounts. {account}")
    return "\n".join(lines).rstrip() + "\n"


def example() -> Settings:
    """The settings shown in config.example.toml."""
    return Settings(
        campaign=CampaignPart(id="pechati", title="Печати Хаоса"),
        forum=ForumPart(url="https://forum.example.ru/", user="Ведущий"),
        channels=ChannelsPart(topic=123),
        gm=GmPart(accounts=(Account(id="2", name="Буйный"),)),
        players=(
            PlayerPart(faction="kael", accounts=(Account(id="57", name="Каэль"), Account(id="61", name="Сосед", since=4))),
            PlayerPart(faction="morwen", accounts=(Account(id="58", name="Леди Морвен"),), topic=130),
        ),
    )
