"""Rich sample reports and models: realistic Russian content, long names and hostile texts."""

from __future__ import annotations

from rules.maps import Bars, FreeShard, HeightMap, LineChart, Shard, World
from rules.report import (
    Bullets,
    Coloured,
    Column,
    Emphasis,
    FigureBlock,
    Lines,
    Report,
    Rule,
    Section,
    Strong,
    Table,
    para,
    rich,
    row,
)

HOSTILE = (
    "[b]жирный[/b]",
    "[url=http://зло.example]сюда[/url]",
    "<script>alert('ход')</script>",
    "{{ 7*7 }} {% raw %}",
    "שלום עולם",
    "\u202eтсалуб йынтарбо\u202c",
    "👨‍👩‍👧‍👦 ⚔️ 👍🏽",
    "[/code][/spoiler][/quote]",
    'кавычки "двойные" и &amp; сущность',
    "очень" * 40,
)

OWNERS = (
    ("Буйный", "#c0392b", 0.04),
    ("Морвен", "#6c3483", 0.20),
    ("Аскольд", "#1f618d", 0.36),
    ("Тишина", "#7f8c8d", 0.52),
    ("Каэль", "#d4ac0d", 0.68),
    ("Ржавый", "#a04000", 0.84),
)


def height_map(*, late: bool = False) -> HeightMap:
    """The beginning of a game, or its late stage with long chains, dormant worlds and hostile names."""
    free, number = [], 0
    for column, x in enumerate((0.12, 0.28, 0.44, 0.60, 0.76, 0.92)):
        for height in range(1, 11):
            if (column + height) % 5 < (3 if not late else 1):
                size = 1 + (column * 7 + height * 5) % 6
                free.append(FreeShard(Shard(f"{number:03d}", size, (column + height) % 4 == 0, "Круг Седых Камней"), x, height))
                number += 1
    worlds = []
    for i, (name, colour, x) in enumerate(OWNERS):
        shards = [Shard(f"Цитадель: {name}", 5, False, name), Shard("Слобода Рубак", 3)]
        if late:
            shards += [Shard(f"{40 + i * 9 + k:03d}", 1 + (k * 3 + i) % 6, k % 3 == 0) for k in range(2 + i * 3)]
        height = (5, 5, 5, 5, 5, 5)[i] if not late else (9, 9, 3, 6, 2, 6)[i]
        label = name if not late or i != 2 else "Аскольд Непобедимый, князь [b]Северных[/b] Пределов и Островов 👑"
        worlds.append(
            World(label, colour, x, height, tuple(shards), dormant=late and i in (1, 4), note="" if i else "печать Хаоса")
        )
    return HeightMap(
        "Астрал: миры и осколки" if not late else "Астрал на исходе двадцать седьмого хода",
        1,
        10,
        tuple(free),
        tuple(worlds),
        "Ничто",
        "ЗА №14. Печати Хаоса · ход 3",
    )


def bars() -> Bars:
    """A forecast's histogram."""
    values = (0.4, 1.8, 5.2, 11.9, 19.4, 23.1, 18.6, 11.0, 5.9, 2.1, 0.6)
    return Bars(
        "Сколько копейщиков уцелеет",
        tuple(str(i) for i in range(11)),
        values,
        ("#1f5f8b",),
        "%",
        ((7.0, "вышло: 7"),),
    )


def line_chart(turns: int = 9) -> LineChart:
    """Sizes of worlds turn by turn."""
    return LineChart(
        "Размер миров по ходам",
        tuple(str(t) for t in range(turns + 1)),
        tuple(
            (
                name,
                colour,
                tuple(float(8 + round(t * (0.6 + i * 0.35)) - (3 if i == 4 and t > 5 else 0)) for t in range(turns + 1)),
            )
            for i, (name, colour, _) in enumerate(OWNERS)
        ),
        "размер",
    )


def battle(attacker: str, shard: str, *, won: bool) -> Section:
    """One battle as the first game tells it."""
    return Section(
        f"{attacker} → {shard}",
        (
            Lines(
                (
                    rich(f"Владыка {attacker} атакует осколок {shard}:"),
                    rich(
                        f"{attacker} — 14э (2 перемещ.) — [Пехота-2](6)*1,2 + ",
                        "[Некромантия-2](6+2-2,5)*1,1 + [Волшебник](-2) = 11,25",
                    ),
                    rich("Местный Лорд — 10э — [Кавалерия-1](5-3)*1 + [Священная-1](5)*1,1 + [Воин](+3) = 10,5"),
                    rich(
                        Strong(f"Победил {'Владыка ' + attacker if won else 'Местный Лорд'}!"), " ", Rule("R21"), " ", Rule("R25")
                    ),
                )
            ),
            Bullets(
                (
                    rich("Осколок присоединён к миру: внешний, размер 3. ", Rule("R43")),
                    rich("Трофей: Рог Сбора, ", Emphasis("«трубит, когда молчат все остальные»"), ". ", Rule("R57")),
                )
            )
            if won
            else para("Осколок остаётся ничьим, энергия потрачена. ", Rule("R21")),
        ),
        details=True,
    )


def worlds_table() -> Table:
    """The wide table of the first game."""
    columns = (
        Column("Владыка"),
        Column("Размер", True),
        Column("Доход", True),
        Column("Энергия", True),
        Column("Высота", True),
        Column("Защита", True),
        Column("Осколки, от внутреннего к внешнему"),
        Column("Трофеи"),
    )
    shards = (
        "Цитадель Буйного, Слобода Рубак, 000. Таверна Пьяный Дракон",
        "Чёрный Шпиль, Сад Костей",
        "Княжий Двор, Застава Аскольда, 011. Круг Седых Камней, 012. Склеп Отличников",
        "Обитель Тишины, Предел Шёпота",
        "Солнечный Трон, Янтарный Порт",
        "Железный Улей, Свалка Богов",
    )
    rows = tuple(
        row(
            [Coloured(name, colour)],
            str(8 + i),
            str(8 + i),
            str(16 - i),
            "5",
            "24 (21,5)",
            shards[i],
            "Рог Сбора" if i % 2 else "—",
        )
        for i, (name, colour, _) in enumerate(OWNERS)
    )
    return Table(columns, rows, total=row("Всего", "63", "63", "81", "", "", "", ""))


def runes_table() -> Table:
    """A narrow table."""
    return Table(
        (Column("Руна"), Column("Голоса", True), Column("Действует до хода", True)),
        (row("Изобилия", "3", "7"), row("Дани", "1", "—"), row("Возвращения домой", "2", "—")),
        "Голосование",
    )


def report(*, battles: int = 4) -> Report:
    """A whole turn."""
    return Report(
        "Ход 3",
        (
            para(
                "Выбрана ",
                Strong("Руна Изобилия"),
                " ",
                Rule("R81"),
                ". Владыка ",
                Coloured("Буйный", "#c0392b"),
                " взял Таверну Пьяный Дракон; ",
                Coloured("Каэль", "#d4ac0d"),
                " отбил нападение Ржавого. ",
                Coloured("Тишина", "#7f8c8d"),
                " молчит второй ход подряд: ещё один — и её мир уйдёт в Ничто. ",
                Rule("R69"),
            ),
            Bullets((rich("Сражений: ", Strong("6"), ", осколков перешло: 3."), rich("Высоты миров не менялись."))),
        ),
        (
            Section("Руны", (runes_table(), para("Новая доска: Руна Бури, Руна Стен, Руна Перемирия. ", Rule("R83")))),
            Section(
                "Сражения за нейтральные осколки",
                (
                    *(
                        battle(
                            OWNERS[i % 6][0],
                            f"{i:03d}.{('Таверна Пьяный Дракон', 'Круг Седых Камней', 'Дом Часовщика')[i % 3]}",
                            won=i % 2 == 0,
                        )
                        for i in range(battles)
                    ),
                    para(
                        "Морвен → 011.Круг Седых Камней: не хватило энергии на перемещение (3э), атака провалилась. ", Rule("R31")
                    ),
                ),
            ),
            Section("Размер миров", (FigureBlock(line_chart(), "Размер миров по ходам", "Впереди Ржавый: 29"),)),
            Section("Миры владык", (worlds_table(),)),
            Section(
                "Слова владык",
                (
                    para(Emphasis("— Пусть Каэль сидит на своём троне. Трон деревянный, а огонь у меня есть…"), " (Буйный)"),
                    Bullets(tuple(rich(text) for text in HOSTILE)),
                    Lines((rich("а  1"), rich("бб 2 [/code] [b]x[/b]")), mono=True),
                ),
                details=True,
            ),
        ),
        "ЗА №14. Печати Хаоса · 26 июля 2013 г.",
    )
