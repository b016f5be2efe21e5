"""Rich sample reports and models: realistic Russian content, long names and hostile texts."""

from __future__ import annotations

from rules.maps import (
    Arrow,
    Bars,
    BattleFigure,
    Board,
    Building,
    Cell,
    Clash,
    Edge,
    FreeShard,
    GraphMap,
    GridMap,
    HeightMap,
    LegendItem,
    LineChart,
    Manoeuvre,
    Node,
    Outlook,
    Path,
    Shard,
    Spread,
    Squad,
    Token,
    Troop,
    World,
)
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


def outlook(units: int = 10) -> Outlook:
    """A battle's odds, the losses of some unit types beside each other."""
    weights = [1.0 + (i * 7) % 5 for i in range(units + 1)]
    shares = tuple(w / sum(weights) for w in weights)
    rows = (
        Spread(f"Копейщик ({units})", shares, "в среднем 5,1, в 9 боях из 10 не больше 9"),
        Spread("Герой (1)", (0.8, 0.2), "в среднем 0,2"),
    )
    return Outlook(
        "Прогноз боя: Империя — Княжество стальной розы",
        "Сыграно боёв: 10 000",
        (("Империя", 0.9, "#d9a400"), ("Княжество стальной розы", 0.07, "#a83250"), ("Ничья", 0.03, "#8c8c8c")),
        (("Погибнет насмерть: Империя", "#d9a400", rows), ("Погибнет насмерть: Княжество", "#a83250", rows)),
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


def road_map() -> GraphMap:
    """A war in full swing: long names, ruins, marches, armies at cities and on roads."""
    gold, red, teal, violet, brown, grey = "#d9a400", "#a83250", "#2a9d8f", "#6a2c91", "#8a5a2b", "#8c8c8c"
    places = (
        ("altengrad", "Альтенград", 140, 160, gold, 3, True, ()),
        ("bely_brod", "Белый Брод", 330, 90, gold, 1, False, ()),
        ("valdheim", "Вальдхейм", 120, 330, gold, 2, False, ()),
        ("kronvik", "Кронвик", 310, 250, red, 1, False, ()),
        ("ormis", "Ормис", 860, 150, red, 2, True, ()),
        ("holmgard", "Хольмгард", 680, 90, red, 1, False, ()),
        ("stalevar", "Сталевар", 880, 330, red, 3, False, ()),
        ("shipovnik", "Шиповник", 690, 250, grey, 1, False, ()),
        ("fortress", "Парящая крепость", 500, 640, teal, 2, True, ("парит",)),
        ("roshcha", "Лунная Роща", 260, 520, teal, 1, False, ("порча 2",)),
        ("ruchey", "Серебряный Ручей", 740, 520, teal, 1, False, ()),
        ("elvendar", "Эльвендар", 500, 500, teal, 1, False, ()),
        ("morwen", "Морвен", 500, 340, violet, 3, True, ()),
        ("peak", "Пик кошмаров", 400, 380, violet, 1, False, ()),
        ("kamen", "Чёрный Камень [b]", 600, 380, grey, 1, False, ()),
    )
    roads = (
        "altengrad-bely_brod altengrad-valdheim altengrad-kronvik bely_brod-kronvik valdheim-kronvik ormis-holmgard "
        "ormis-stalevar ormis-shipovnik holmgard-shipovnik stalevar-shipovnik fortress-roshcha fortress-ruchey "
        "fortress-elvendar roshcha-elvendar ruchey-elvendar morwen-peak morwen-kamen kronvik-morwen shipovnik-morwen "
        "elvendar-morwen bely_brod-holmgard valdheim-roshcha stalevar-ruchey peak-roshcha kamen-ruchey peak-kronvik "
        "kamen-shipovnik"
    )
    return GraphMap(
        "Война Стальной Розы: ход 4, эпоха Рассвета",
        tuple(
            Node(i, name, (x, y), colour, size, large, ruin=i == "kamen", capital=large, badges=badges, floating=i == "fortress")
            for i, name, x, y, colour, size, large, badges in places
        ),
        tuple(Edge(*road.split("-")) for road in roads.split()),
        (
            Token("Великая Орда Грума", brown, ("morwen", "elvendar"), "wagon"),
            Token("1-я армия", gold, "altengrad"),
            Token("лагерь", violet, "elvendar", "camp"),
        ),
        (
            Arrow("altengrad", "kronvik", gold, "2-я армия", "lost"),
            Arrow("morwen", "shipovnik", violet, "", "won"),
            Arrow("stalevar", "ruchey", red, "1-я армия"),
        ),
        (
            LegendItem("Империя", gold),
            LegendItem("Княжество", red),
            LegendItem("Благословлённые небом", teal),
            LegendItem("Культ пустоты", violet),
            LegendItem("Огры", brown),
            LegendItem("ничьи города и руины", grey),
        ),
        "после сражений и захватов",
    )


def battle_figure(boards: int = 4) -> BattleFigure:
    """A battle stage by stage."""
    attacker = (
        Squad("CV", ("6 копейщиков", "3 рыцаря"), 9, 9),
        Squad("CR", ("4 лучника",), 4, 4),
        Squad("LV", ("3 всадника",), 3, 3),
        Squad("RV", ("10 ополченцев", "2 целителя", "1 паладин Ордена Утренней Звезды", "1 знаменосец"), 14, 14),
    )
    defender = (
        Squad("CV", ("7 копейщиков",), 7, 7),
        Squad("CR", ("6 лучников",), 6, 6),
        Squad("RV", ("2 пушки",), 2, 2),
        Squad("LV", ("5 мечников",), 5, 5),
    )
    later = tuple(Squad(s.place, s.lines, max(0, s.alive - 3 - 2 * i), s.total) for i, s in enumerate(attacker))
    arrows = (
        Manoeuvre(0, "LV", "CR", 1, "charge", "натиск"),
        Manoeuvre(0, "CR", "CV", 1, "bombard", "обстрел"),
        Manoeuvre(0, "RV", "RV", 0, "cover", "укрытие"),
        Manoeuvre(1, "CV", "CR", 1, "defend", "защита"),
        Manoeuvre(1, "CR", "RR", 1, "move", "переход"),
        Manoeuvre(1, "RV", "CR", 0, "long_bombard", "дальний обстрел"),
    )
    titles = ("Расстановка и манёвры", "После натиска и обстрела", "После схватки на флангах", "Последний бой")
    return BattleFigure(
        "Бой за Кронвик: Империя против Княжества",
        ("Империя", "Княжество Стальной Розы"),
        ("#d9a400", "#a83250"),
        tuple(
            Board(title, (attacker if i < 2 else later, defender), arrows if i == 0 else ())
            for i, title in enumerate(titles[:boards])
        ),
        "Победило Княжество: город устоял",
    )


COLUMN_LETTERS = "АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЭЮЯ"


def column_name(index: int) -> str:
    """Names of columns as forum players write them."""
    return COLUMN_LETTERS[index] if index < 28 else COLUMN_LETTERS[index // 28 - 1] + COLUMN_LETTERS[index % 28]


def grid_map(width: int = 20, height: int = 14) -> GridMap:
    """A land with everything on it."""

    def terrain(x: int, y: int) -> str:
        if x in (0, width - 1) or y == height - 1 or (x + 2 * y) % 37 == 0:
            return "sea"
        wave = (x * 3 + y * 5 + (x // 3) * (y // 2)) % 19
        return "mountain" if wave < 3 else "forest" if wave < 8 else "desert" if wave < 10 else "field"

    side = 4
    across = (width + side - 1) // side

    def province(x: int, y: int) -> int:
        return (y // side) * across + x // side + 1

    rows = tuple(
        tuple(Cell(t := terrain(x, y), None if t == "sea" else province(x, y)) for x in range(width)) for y in range(height)
    )
    count = province(width - 1, height - 1)
    names = ("Броды", "Земля Торна", "Старое Пограничье", "Устье", "Кхазад", "Эльфийская пуща", "Пустошь Гхаша", "Приморье")
    colours = ("#2c6e49", "#8c3b2e", "#35507a", "#b07d12")
    kinds = (
        "outpost",
        "fortress",
        "tower",
        "manor",
        "castle",
        "city",
        "mine_silver",
        "mine_gold",
        "mine_mithril",
        "mine_site",
        "lair",
    )
    buildings = tuple(
        Building(
            2 + (i * 5) % (width - 4),
            1 + (i * 3) % (height - 3),
            kind,
            colours[i % 4] if kind not in ("lair", "mine_site") else "#8c8c8c",
            "Торн" if kind == "castle" else "",
            i == 4,
        )
        for i, kind in enumerate(kinds)
    )
    troops = tuple(
        Troop(
            3 + (i * 4) % (width - 5),
            2 + (i * 5) % (height - 4),
            "elves",
            ("Э", "Г", "О", "Р", "Др", "М")[i % 6],
            colours[i % 4],
            1 + i % 4,
            i == 3,
            i == 2,
        )
        for i in range(8)
    )
    return GridMap(
        "Материк Двенадцати Земель: год 3, круг 2",
        tuple(column_name(i) for i in range(width)),
        rows,
        (
            tuple((3 + i // 2, 1 + i) for i in range(height - 2)),
            tuple((width - 4 - i, 4 + (i % 3 == 0)) for i in range(min(8, width - 5))),
        ),
        {i: names[i % 8] + ("" if i <= 8 else f" {i}") for i in range(1, count + 1)},
        {i: colours[i % 5] for i in range(1, count + 1) if i % 5 < 4},
        buildings,
        troops,
        (Path(((3, 2), (4, 3), (5, 3), (6, 4)), colours[0]), Path(((11, 9), (10, 8), (10, 7)), colours[1])),
        (Clash(6, 4, "Битва на переправе", 1), Clash(10, 7, "Осада замка Торн", 2)),
        (
            LegendItem("Аэлин", colours[0]),
            LegendItem("Торгрим", colours[1]),
            LegendItem("Радомир", colours[2]),
            LegendItem("Гхаш", colours[3]),
            LegendItem("нейтральные", "#8c8c8c"),
            LegendItem("битва", "#c8641b"),
        ),
        "ход Торгрима: передвижения и битвы",
    )
