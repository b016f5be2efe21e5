"""Service: offers, answers, its end (R37–R39, R194)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from parsers.atoms import Atom
from parsers.frames import Fill, Frame, Output, Slot
from parsers.reading_atoms import PREPOSITIONS
from parsers.russian import ORDERING, Verb, info
from parsers.tokens import Token
from parsers.types import Reading
from rules.grand_strategy.language.making import maker
from rules.grand_strategy.language.names import pronouns, stems, tables
from rules.grand_strategy.language.said import Said
from rules.grand_strategy.language.slots import (
    called,
)


def _service_score(fill: Fill) -> float | None:
    slots = fill.slots
    if called(fill, "own_man"):
        return 0.5
    if called(fill, "swear", "refuse_all"):
        return 0.8 if "players" in slots or not called(fill, "refuse_verb") else None
    if called(fill, "refuse_verb") and not called(fill, "service", "fire"):
        return -0.4 if "players" in slots else None
    if called(fill, "offer_noun") and not called(fill, "service"):
        answered = any(not f.atom.has("offer_noun") for f in slots.get("how", ()))
        return (0.4 if "players" in slots else 0.0) if answered else None
    if not called(fill, "service"):
        if fill.inherited and any(not f.ref for f in slots.get("players", ())) and _answered(fill):
            return 0.2  # «Гхаш, принимаю твою службу. Торгрим, твою отклоняю.»
        if called(fill, "fire") and "players" in slots and not slots.keys() & {"places"}:
            return -0.6
        return None
    if called(fill, "fire") and "players" in slots:
        return 0.6  # «Гхаша из вассалов вычёркиваю»
    if _sent(slots.get("players", ()), fill.triggers) and not any(a.verb for a in fill.atoms):
        return 0.0  # «Радомира — на службу», «к Аэлин на службу»
    spoken = any(a.verb for a in fill.triggers)
    called_in = "how" in slots or any(a.has("to_me") for a in fill.atoms)
    return 0.6 if called_in or len(fill.triggers) > 1 or spoken or fill.inherited else None


def _answered(fill: Fill) -> bool:
    """An answer of one's own person: «отклоняю», «согласен», «нет»."""
    return any(f.atom.has("agree", "refuse") for f in fill.slots.get("how", ()))


def _sent(people: Sequence[Any], services: Sequence[Atom]) -> bool:
    """Somebody and «на службу», with nothing said of what becomes of it."""
    aimed = any(a.has("service") and a.prep in {"на", "в"} for a in services)
    return aimed and any(
        f.atom.prep in {"к", "ко"} or (not f.atom.prep and "accs" in f.atom.cases and "nomn" not in f.atom.cases) for f in people
    )


@maker
def _service(said: Said) -> Iterable[Output]:
    people = [p for p in (said.player_of(a) for a in said.atoms("players")) if p is not None and p != said.me]
    strangers = [a for a in said.atoms("players") if _gets_else(said, a)]
    people = [p for p in people if p not in {said.player_of(a) for a in strangers}]
    said.settled += strangers
    if strangers and not people:
        return []
    services = said.words("service")
    _not_revoked(said, people, services)
    if said.match.inherited and not said.words("fire", "quit", "take", "agree", "refuse", "swear", "service", "go"):
        last = said.last if said.last.get("type") in _SERVICE else None
        if last is not None and people:
            return [said.read({"type": last["type"], "player": p}) for p in people]
    if said.has("own_man") and _others(said):
        who = people or [p for p in (said.addressed(),) if p]
        return [said.read({"type": "dismiss_vassal", "player": p}) for p in who]
    if said.has("own_man"):
        return [said.read({"type": "leave_service"}), *_next_lord(said)]
    told_no = said.has("refuse") and any("datv" in a.cases for a in said.atoms("players"))
    if said.has("fire") and (people or said.addressed()) and not told_no:
        who = people or [p for p in (said.addressed(),) if p]
        if _takes_me(said):
            return [said.read({"type": "leave_service"})]  # «прошу меня от присяги освободить»
        if said.has("no_vassal") and said.spoken("i") and not said.spoken("to_me"):
            return [said.read({"type": "leave_service"})]  # «я тебе больше не вассал»
        return [said.read({"type": "dismiss_vassal", "player": p}) for p in who]
    if said.has("quit") or (said.has("lift") and services):
        tokens = said.context.layout.tokens[said.match.first : said.match.last]
        refusing = said.has("refuse") and not any(t.norm == "больше" for t in tokens)
        freed = [
            p
            for a in said.atoms("players")
            if a.prep in {"с", "со"} and "ablt" not in a.cases and (p := said.player_of(a)) not in (None, said.me)
        ]
        parting = any(a.text.lower().startswith(stems("lord")) for a in services)  # «с Аэлин как с сюзереном прощаюсь»
        if freed and not parting:
            return [said.read({"type": "dismiss_vassal", "player": p}) for p in freed]  # «снимаю с Радомира присягу»
        if not refusing:
            return [said.read({"type": "leave_service"}), *_next_lord(said)]
    lords = any(a.first and _tokens(said)[a.first - 1].norm.startswith(stems("mine")) for a in services)
    if said.has("no_word") and lords and people:
        return [said.read({"type": "dismiss_vassal", "player": p}) for p in people]  # «был моим вассалом, а теперь нет»
    if said.has("refuse", "refuse_verb", "refuse_all"):
        if any(a.prep in {"из", "с", "со"} for a in services):
            raise said.stop(
                "ambiguous", "О службе: кто её кончает?", draft={"type": "dismiss_vassal"}
            )  # «Гхаша из вассалов не гоню»
        if not said.has("offer_noun") and any(
            a.text.lower().split()[-1].startswith(stems("inviting")) for a in said.words("refuse")
        ):
            raise said.stop("ambiguous", "О службе: не звать или отказать тому, кто зовёт?")  # «Радомира в вассалы не зову»
        return _refusals(said, people)
    if said.has("offer_noun") and said.has("together", "apart"):
        raise said.stop("ambiguous", "О каком предложении речь: о службе или об общем бое?")
    taking = [a for a in said.words("take") if not a.has("offer_noun")]
    if _told_of_others(said, taking):
        return []
    mine_to_serve = said.has("swear") or said.has("agree")
    spoken = [a.text.lower() for a in taking]
    as_vassal = any(a.has("commander_word") and "ablt" in a.cases for a in services)  # «Гхаша принять вассалом»
    if said.has("offer_noun") and any(t.startswith(stems("accepted")) for t in spoken) and not as_vassal:
        return _answers(said, "accept_service", people)  # «твоё предложение принято»
    dative = any("datv" in a.cases for a in said.atoms("players"))
    if said.has("offer_noun") and not taking and not mine_to_serve and dative and not any(_possessive(said, a) for a in services):
        return _answers(said, "offer_service", people)  # «Радомиру предложение: служба»
    if said.has("to_me") and not taking and not mine_to_serve and services:
        return _answers(said, "offer_service", people)  # «Радомир, ко мне в вассалы!»
    if taking and not mine_to_serve:
        accusative = any(a.text.lower().startswith(stems("oath")) for a in services)
        yours = any(_possessive(said, a) for a in services)
        at_somebody = any(a.prep == "у" for a in said.atoms("players")) or _takes_me(said)
        begged = all(a.verb is Verb.IMPERATIVE and a.text.lower().startswith(stems("accepted")) for a in taking)
        if (yours and not accusative) or at_somebody or begged:  # «Аэлин, принимай в вассалы»
            return _answers(said, "accept_service", people)
        return _answers(said, "offer_service", people)
    going = said.has("go", "pass_over") and any(a.prep in {"к", "ко"} for a in said.atoms("players"))
    under = said.has("go") and any(a.text.lower().startswith("под ") for a in services)
    joining = any(a.verb is Verb.ORDER for a in said.words("go")) and any(
        a.has("commander_word") and a.prep == "в" for a in services
    )
    if _takes_me(said) and any(a.prep in {"на", "в"} for a in services):
        return _answers(said, "accept_service", people)  # «записывай меня в вассалы»
    if any(a.verb is Verb.IMPERATIVE for a in (*services, *said.words("swear"))) and not said.has("agree"):
        if any(t.norm in pronouns("oneself") for t in _tokens(said)[max(0, said.match.first - 1) : said.match.last]):
            return []  # «сам служи»
        return _answers(said, "offer_service", people)  # «Радомир, присягни мне!»
    quiet = not said.has("swear", "agree", "go") and not any(a.verb or a.negated for a in said.match.atoms)
    if quiet and any(a.prep in {"на", "в"} for a in services) and not _not_in(said):
        if any(not a.prep and "accs" in a.cases and "nomn" not in a.cases for a in said.atoms("players")):
            return _answers(said, "offer_service", people)
        going = going or any(a.prep in {"к", "ко"} for a in said.atoms("players"))
    if said.has("swear", "agree") or _serving(said) or going or under or joining:
        return _answers(said, "accept_service", people)
    before = [o for m, made in said.context.outputs[-1:] if m.sentence == said.match.sentence for o in made]
    answered = any(isinstance(o, Reading) and o.command.get("type") in _SERVICE for o in before)
    if said.has("offer_noun") and not people and answered:
        return []  # «Гхаша принять вассалом, предложение направить»
    raise said.stop("ambiguous", "О службе: предложить, согласиться или отказаться?")


def _told_of_others(said: Said, taking: list[Atom]) -> bool:
    """«Гхаш зовёт на службу», «Зовёт на службу.»: told, and answered where it is."""
    if not taking or not all(a.verb is Verb.THIRD and not a.text.lower().endswith("ся") for a in taking):
        return False
    people = [a for a in said.atoms("players") if not a.prep]
    if any(said.player_of(a) == said.me for a in people) or said.has("agree", "swear", "let", "to_me", "refuse"):
        return False
    return not people or any("nomn" in a.cases and a.first < taking[0].first for a in people)


def _others(said: Said) -> bool:
    """«Гхаш, ты свободен от службы», «Радомир больше не вассал», «снимаю Гхаша с довольствия: больше не вассал»."""
    if said.spoken("i") or any(_possessive(said, a) for a in said.words("own_man", "service")):
        return False
    if any(t.norm in pronouns("thou") for t in _tokens(said)[said.match.first : said.match.last]):
        return True
    own = next(a for a in said.words("own_man"))
    for atom in said.atoms("players"):
        if atom.prep or "datv" in atom.cases or ("same" in atom.cases and "nomn" not in atom.cases):
            continue
        beside = atom.last <= own.first and all(t.norm != "," for t in _tokens(said)[atom.last : own.first])
        if "nomn" not in atom.cases or beside:
            return True
    return False


def _not_revoked(said: Said, people: list[str], services: Sequence[Atom]) -> None:
    """«Предложение службы Гхашу отзываю», «забираю назад своё согласие служить»: the game has no such order."""
    sentence = said.context.layout.sentences[said.match.sentence]
    within = _tokens(said)[max(sentence.first, said.match.first - 2) : min(sentence.last, said.match.last + 2)]
    revoked = any(info(t.norm).lemmas & _REVOKING and info(t.norm).verb in ORDERING for t in within)
    if not revoked or not (services or said.has("swear")) or not said.has("offer_noun", "agree", "take"):
        return
    draft = {"type": "decline_service", "player": people[0]} if people and said.has("agree") else {}
    raise said.stop("ambiguous", "Предложение или согласие обратно не берут. Отказаться от службы?", draft=draft)


def _not_in(said: Said) -> bool:
    """«К Торгриму на службу больше не хожу»: the sentence says no."""
    sentence = said.context.layout.sentences[said.match.sentence]
    return any(t.norm in {"не", "нет"} for t in _tokens(said)[sentence.first : sentence.last])


def _takes_me(said: Said) -> bool:
    """«Прошу Аэлин принять меня на службу»."""
    tokens = _tokens(said)
    reach = range(max(1, said.match.first - 2), said.match.last)
    return any(tokens[i].norm in pronouns("me") and tokens[i - 1].norm not in PREPOSITIONS for i in reach)


def _next_lord(said: Said) -> list[Output]:
    """«Аэлин больше не служу, пойду к Гхашу»: whom he goes to from there."""
    people = [a for a in said.atoms("players") if a.prep in {"к", "ко"}]
    return _answers(said, "accept_service", [p for a in people if (p := said.player_of(a))]) if people and said.has("go") else []


def _tokens(said: Said) -> Sequence[Token]:
    """The tokens of the post."""
    return said.context.layout.tokens


def _gets_else(said: Said, person: Atom) -> bool:
    """«…, а Гхашу — войну»: what he gets is nothing of the game."""
    tokens = said.context.layout.tokens
    if person.last + 1 >= len(tokens) or tokens[person.last].norm != "-" or "datv" not in person.cases:
        return False
    return bool(said.context.unknown_words(person.last + 1, person.last + 2))


def _refusals(said: Said, people: list[str]) -> list[Output]:
    """«К Торгриму на службу не пойду. К Аэлин пойду.»: a refusal reaches no sentence that says yes."""
    sentence_of = said.context.layout.sentence_of
    no = {sentence_of[a.first] for a in said.words("refuse", "refuse_verb", "refuse_all")}
    yes = {sentence_of[a.first] for a in said.words("agree", "go", "swear")} - no
    willing = [
        p
        for a in said.atoms("players")
        if (sentence_of[a.first] in yes or _tokens(said)[min(a.last, len(_tokens(said)) - 1)].norm in _WILLING)
        and (p := said.player_of(a)) is not None
    ]
    unwilling = [p for p in people if p not in willing]
    out = _answers(said, "decline_service", unwilling) if unwilling or not willing else []
    return out + (_answers(said, "accept_service", willing) if willing else [])


_WILLING = frozenset(tables()["serving"]["willing"])
_REVOKING = frozenset(tables()["passing"]["revoking"])
_SERVICE = ("offer_service", "accept_service", "decline_service", "dismiss_vassal")


def _possessive(said: Said, atom: Atom) -> bool:
    tokens = said.context.layout.tokens
    return atom.first > 0 and tokens[atom.first - 1].norm.startswith(stems("yours"))


def _serving(said: Said) -> bool:
    """«служу», «буду служить»; not «служи», «хочешь служить»."""
    serving = (a for a in said.words("service") if a.text.lower().startswith(stems("serving")))
    return any(
        a.verb in (Verb.ORDER, Verb.INFINITIVE) and not (a.first and info(_tokens(said)[a.first - 1].norm).verb is Verb.SECOND)
        for a in serving
    )


def _answers(said: Said, kind: str, people: list[str]) -> list[Output]:
    if not people:
        told = said.addressed() or _offer_from(said)
        if told is None:
            raise said.stop("ambiguous", "Кому? Назовите игрока.", draft={"type": kind})
        people = [told]
    return [said.read({"type": kind, "player": p}) for p in dict.fromkeys(people)]


def _offer_from(said: Said) -> str | None:
    offers = [p.id for p in said.state.players.values() if said.me in p.offers]
    return offers[0] if len(offers) == 1 else None


FRAMES = (
    Frame(
        "service",
        ("service", "swear", "fire", "own_man", "refuse_verb", "refuse_all", "offer_noun"),
        (
            Slot("players", ("player",), many=True, refs=("~person",), weight=1.1),
            Slot("how", ("take", "quit", "agree", "refuse", "fire", "lift", "go", "pass_over"), many=True, weight=0.7),
        ),
        noise=frozenset(
            {
                "commander_word",
                "me",
                "troops",
                "go",
                "from_now",
                "confirm",
                "then",
                "together",
                "drop",
                "to_me",
                "state_word",
                "spawn",
                "answer",
                "repeat",
            }
        ),
        at_most={"players": 3, "how": 3},
        score=_service_score,
        make=_service,
        key=lambda command: command.get("player"),
    ),
)
