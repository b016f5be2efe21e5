"""The `forum-gm` command: finds the sub-command, shows help and errors in Russian (contract: exit 0, 1 or 2, no traceback)."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.metadata import version
from typing import Any

import typer
from typer import Abort, BadParameter, Exit
from typer._click.exceptions import ClickException, MissingParameter, NoArgsIsHelpError, NoSuchOption, UsageError
from typer.core import TyperCommand, TyperGroup

from forum_gm.errors import ForumGmError
from rules.base import RulesError

COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("forum_gm.commands.demo:demo", "Показать всё на встроенном форуме: тема, пульт, карта, PDF"),
    "init": ("forum_gm.commands.campaign:init", "Создать папку новой кампании"),
    "check": ("forum_gm.commands.campaign:check", "Проверить настройки, вход, права, шрифты, базу"),
    "run": ("forum_gm.commands.campaign:run", "Запустить службу: расписание и пульт мастера"),
    "poll": ("forum_gm.commands.campaign:poll", "Прочитать форум"),
    "orders": ("forum_gm.commands.campaign:orders", "Показать, как поняты приказы"),
    "approve": ("forum_gm.commands.campaign:approve", "Принять приказы шага"),
    "resolve": ("forum_gm.commands.campaign:resolve", "Рассчитать шаг"),
    "publish": ("forum_gm.commands.campaign:publish", "Опубликовать итоги"),
    "rollback": ("forum_gm.commands.campaign:rollback", "Вернуться к прежнему шагу"),
    "parse": ("forum_gm.commands.parse:parse", "Прочитать приказы из одного сообщения"),
    "rules": ("forum_gm.commands.rules:app", "Правила без форума: новая игра, шаг, расчёт, виды приказов"),
    "forecast": ("forum_gm.commands.forecast:forecast", "Прогноз боя методом Монте-Карло"),
    "forum": ("forum_gm.commands.forum:app", "Прочитать тему форума; учебный форум для репетиций"),
    "guide": ("forum_gm.commands.guide:guide", "Страница для игроков: как писать приказы"),
    "chronicle": ("forum_gm.commands.chronicle:chronicle", "Летопись кампании одним PDF"),
    "verify": ("forum_gm.commands.campaign:verify", "Проверить итоги и броски с первого шага"),
    "backup": ("forum_gm.commands.campaign:backup", "Сохранить кампанию одним файлом"),
    "restore": ("forum_gm.commands.campaign:restore", "Восстановить кампанию из файла"),
}

# What the command-line library says in English, and how we say it; applied to whole help pages.
PHRASES = (
    ("Usage: ", "Вызов: "),
    ("[OPTIONS]", "[ПАРАМЕТРЫ]"),
    ("COMMAND [ARGS]...", "КОМАНДА …"),
    ("\nArguments:", "\nЧто указать:"),
    ("\nOptions:", "\nПараметры:"),
    ("\nCommands:", "\nКоманды:"),
    ("Show this message and exit.", "Показать эту справку."),
    ("[required]", "[обязательно]"),
    ("required]", "обязательно]"),
    ("[default:", "[по умолчанию:"),
    ("default: ", "по умолчанию: "),
    ("<str>", "<имя>"),
    ("<path>", "<файл>"),
    ("<int>", "<N>  "),
    ("<float>", "<число>"),
)


def in_russian(page: str) -> str:
    """A help page with the library's own phrases translated."""
    for english, russian in PHRASES:
        page = page.replace(english, russian)
    return page


class RussianCommand(TyperCommand):
    """A command whose help page is in Russian."""

    def get_help(self, ctx: Any) -> str:
        return in_russian(super().get_help(ctx))


class RussianGroup(TyperGroup):
    """A group whose help page is in Russian."""

    def get_help(self, ctx: Any) -> str:
        return in_russian(super().get_help(ctx))


def new_app(help_text: str) -> typer.Typer:
    """A Typer application for a group of sub-commands, with Russian help. Register commands with `cls=RussianCommand`."""
    return typer.Typer(
        help=help_text,
        cls=RussianGroup,
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )


def as_command(target: Any, name: str) -> Any:
    """The library's command object of a Typer application or a plain function."""
    if isinstance(target, typer.Typer):
        made = typer.main.get_command(target)
    else:
        app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
        app.command(name, cls=RussianCommand)(target)
        made = typer.main.get_command(app)
    made.name = name
    return made


def load(name: str) -> Any:
    """What carries out a command of `COMMANDS`: a function or an application with sub-commands."""
    module_name, attribute = COMMANDS[name][0].split(":")
    return getattr(import_module(module_name), attribute)


class LazyGroup(RussianGroup):
    """The top-level group: a sub-command's module is imported only when it is called."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        return as_command(load(cmd_name), cmd_name)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Команды"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


app = typer.Typer(
    cls=LazyGroup,
    help="Ведущий для стратегических игр на форумах: читает приказы, считает ход, публикует итоги.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _tell_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"forum-gm {version('forum-gm')}")
        raise Exit


@app.callback()
def root(
    debug: bool = typer.Option(False, "--debug", help="Показывать подробности ошибок."),
    _version: bool = typer.Option(False, "--version", callback=_tell_version, is_eager=True, help="Версия программы."),
) -> None:
    """Общие параметры."""


def parameter_name(error: BadParameter) -> str:
    """The option as it is written («--ruleset»), or the argument's name."""
    if error.param is None:
        return str(error.param_hint or "")
    if error.param.param_type_name == "argument":
        return str(getattr(error.param, "display_name_raw", error.param.name))
    return max(error.param.opts, key=len)


VALUES = (
    ("valid integer", "нужно целое число"),
    ("valid number", "нужно число"),
    ("greater than or equal to", "число слишком мало"),
    ("less than or equal to", "число слишком велико"),
    ("does not exist", "такого файла нет"),
    ("is not one of", "такого значения нет"),
)
"""What the library says of a value, in English, and how we say it."""


def value_reason(message: str) -> str:
    """Why a value is refused, in Russian."""
    return next((said for english, said in VALUES if english in message), "не подходит")


def usage_sentence(error: ClickException) -> str:
    """A usage error as one Russian sentence."""
    if isinstance(error, NoSuchOption):
        return f"Нет такого параметра: {error.option_name}."
    if isinstance(error, MissingParameter):
        name = parameter_name(error)
        return f"Не указано: {name}."
    if isinstance(error, BadParameter):
        name = parameter_name(error)
        return f"Неверное значение {name}: {value_reason(error.message)}."
    if isinstance(error, NoArgsIsHelpError):
        path = error.ctx.command_path if error.ctx else "forum-gm"
        return f"Не указана команда. Список команд: {path} --help."
    if error.message.startswith("No such command"):
        return f"Нет такой команды: {error.message.split()[-1].strip(chr(39) + '.')}. Список команд: forum-gm --help."
    if error.message.startswith("Missing command"):
        return "Не указана команда. Список команд: forum-gm --help."
    return f"Неверный вызов: {error.message}"


def main(argv: list[str] | None = None) -> None:
    """Entry point of the console script. Exits with 0, 1 (a problem that the user must see) or 2 (usage, configuration)."""
    arguments = sys.argv[1:] if argv is None else argv
    debug = "--debug" in arguments
    arguments = [a for a in arguments if a != "--debug"]
    if arguments in ([], ["-h"]):
        arguments = ["--help"]
    try:
        code = app(arguments, prog_name="forum-gm", standalone_mode=False)
    except Exit as done:
        sys.exit(done.exit_code)
    except Abort:
        print("Прервано.", file=sys.stderr)
        sys.exit(1)
    except UsageError as error:
        print(usage_sentence(error), file=sys.stderr)
        sys.exit(2)
    except ClickException as error:
        print(usage_sentence(error), file=sys.stderr)
        sys.exit(2)
    except (ForumGmError, RulesError) as error:
        if debug:
            raise
        print(str(error), file=sys.stderr)
        sys.exit(error.exit_code if isinstance(error, ForumGmError) else 2)
    except KeyboardInterrupt:
        print("Остановлено.", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        sys.exit(1)
    except Exception as error:
        if debug:
            raise
        print(f"Внутренняя ошибка: {type(error).__name__}: {error}. Подробности: повторите с --debug.", file=sys.stderr)
        sys.exit(1)
    sys.exit(code if isinstance(code, int) else 0)
