"""Compiled: a whole battle (as `battle.engine` and `battle.planning`) and many of them, counted (arguments: see `factors`)."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,untyped-decorator"
from __future__ import annotations

import numpy as np

from rules.steel_rose.fast.compiled import entry, inner
from rules.steel_rose.fast.factors import enter
from rules.steel_rose.fast.layout import (
    BOMBARD,
    CHARGE,
    COVER,
    DEFEND,
    FORM,
    FORMS,
    LONG_BOMBARD,
    MARCH,
    MOVE,
    SQUADS,
    STATE,
    UNIT,
    UNKNOWN,
)
from rules.steel_rose.fast.random import permute, seed_stream
from rules.steel_rose.fast.rounds import play_round, shoot, to_the_death


@inner
def touching(a, b):
    """Adjacent cells of one side: flank a // 2, row a % 2 (R16)."""
    return abs(a // 2 - b // 2) + abs(a % 2 - b % 2) == 1


@inner
def squad_on(side, place, f):
    """The living squad on a place, −1: none."""
    for form in range(side * 6, side * 6 + 6):
        if f[form].place == place and f[form].n > 0:
            return form
    return -1


@inner
def promote(f, waiting):
    """Rears without a vanguard step up, but for those still on their march (R17, R29)."""
    for side in range(2):
        for flank in range(3):
            if squad_on(side, 2 * flank, f) < 0:
                rear = squad_on(side, 2 * flank + 1, f)
                if rear >= 0 and waiting[rear] == 0:
                    f[rear].place = 2 * flank


@inner
def tire(form, levels, u, f, live):
    """Adds fatigue to a squad (R30)."""
    f[form].fatigue += levels
    for j in range(f[form].n):
        u[live[form, j]].fatigue = f[form].fatigue


@inner
def barrages(u, k, f, live, s, r, weak, rng, tape, spare, shooters):
    """Steps 1 and 2 of planning (R33, R34)."""
    for form in range(SQUADS):
        if f[form].order == COVER:
            f[form].covered = 1
    s.barrage = 1
    s.outnumbered = -1
    # whoever was alive at the beginning fires, whatever happens to him; nobody joins a squad meanwhile
    for form in range(SQUADS):
        shooters[form, 0] = f[form].n
        for j in range(f[form].n):
            shooters[form, j + 1] = live[form, j]
    for form in range(SQUADS):
        if f[form].n > 0:
            enter(form, u, k, f, live, s, r)
    for form in range(SQUADS):
        if f[form].order != BOMBARD and f[form].order != LONG_BOMBARD:
            continue
        target = f[form].target
        cover = r.cover_factor if f[target].covered != 0 else 1.0
        for j in range(shooters[form, 0]):
            i = shooters[form, j + 1]
            for _ in range(k[u[i].kind].volley):
                if f[target].n == 0:
                    break
                shoot(i, target, cover, u, k, f, live, s, r, weak, rng, tape, spare)
    s.barrage = 0


@inner
def charges(u, k, f, live, queue, s, r, wound, cure, weak, rng, tape, spare_a, spare_b, list_, still):
    """Steps 3 and 4 of planning: covering squads, charges in a random order (R32, R38–R41)."""
    for form in range(SQUADS):
        if f[form].order == DEFEND and f[form].n > 0:
            tire(form, r.defend_fatigue, u, f, live)
            f[f[form].target].guard = form
    count = 0
    for form in range(SQUADS):
        if f[form].order == CHARGE:
            count += 1
    for j in range(count):
        list_[j] = j
    permute(rng, tape, list_, count)
    # the j-th charge in order of sides and places
    for turn in range(count):
        wanted = list_[turn]
        form = -1
        for candidate in range(SQUADS):
            if f[candidate].order == CHARGE:
                if wanted == 0:
                    form = candidate
                    break
                wanted -= 1
        target = f[form].target
        if f[form].n == 0 or f[target].n == 0 or f[target].place % 2 == 0:
            continue
        side = form // 6
        guard = f[target].guard
        first = 1
        for step in range(2):
            opponent = guard if step == 0 else target
            if opponent < 0 or f[opponent].n == 0:
                continue
            to_the_death(
                form if side == 0 else opponent,
                opponent if side == 0 else form,
                r.cap_charge,
                side,
                1 if step == 0 else 0,
                first,
                -1,
                u,
                k,
                f,
                live,
                queue,
                s,
                r,
                wound,
                cure,
                weak,
                rng,
                tape,
                spare_a,
                spare_b,
            )
            if f[form].n == 0 or f[opponent].n > 0:
                break
            first = 0
        promote(f, still)


@inner
def moves(u, f, live, r, waiting, goal, steps):
    """Step 5 of planning: all cells at once, step by step (R28–R31)."""
    for form in range(SQUADS):
        waiting[form] = 0
        if f[form].n == 0:
            continue
        if f[form].free >= 0:
            steps[form, waiting[form]] = f[form].free
            waiting[form] += 1
        if f[form].order == MOVE or f[form].order == MARCH:
            steps[form, waiting[form]] = f[form].path0
            waiting[form] += 1
        if f[form].order == MARCH:
            steps[form, waiting[form]] = f[form].path1
            waiting[form] += 1
            tire(form, r.march_fatigue, u, f, live)
    for step in range(3):
        for form in range(SQUADS):
            goal[form] = -1
            if waiting[form] > 0:
                if touching(f[form].place, steps[form, step]):
                    goal[form] = steps[form, step]
                waiting[form] -= 1
        stable = False
        while not stable:
            stable = True
            for form in range(SQUADS):
                if goal[form] < 0:
                    continue
                side = form // 6
                for other in range(side * 6, side * 6 + 6):
                    if other == form or f[other].n == 0:
                        continue
                    stays = goal[other] == -1 and f[other].place == goal[form]
                    # −2: blocked in this pass, told to the others in the next
                    clash = goal[other] == goal[form] or goal[other] == -3 - goal[form]
                    if stays or clash:
                        goal[form] = -3 - goal[form]
                        stable = False
                        break
            for form in range(SQUADS):
                if goal[form] <= -3:
                    goal[form] = -1
        for form in range(SQUADS):
            if goal[form] >= 0:
                f[form].place = goal[form]
        promote(f, waiting)


@inner
def flank_fight(flank, u, k, f, live, queue, s, r, wound, cure, weak, rng, tape, spare_a, spare_b):
    """One flank's fight; its rounds (R43–R45)."""
    fa = squad_on(0, 2 * flank, f)
    fb = squad_on(1, 2 * flank, f)
    ra = squad_on(0, 2 * flank + 1, f)
    rb = squad_on(1, 2 * flank + 1, f)
    if fa < 0 or fb < 0:
        return 0
    s.outnumbered = UNKNOWN
    enter(fa, u, k, f, live, s, r)
    enter(fb, u, k, f, live, s, r)
    if ra >= 0:
        enter(ra, u, k, f, live, s, r)
    if rb >= 0:
        enter(rb, u, k, f, live, s, r)
    number = 0
    while number < r.cap_clash:
        if f[fa].n == 0 and ra >= 0:
            fa = ra
            ra = -1
            s.outnumbered = UNKNOWN
        if f[fb].n == 0 and rb >= 0:
            fb = rb
            rb = -1
            s.outnumbered = UNKNOWN
        if f[fa].n == 0 or f[fb].n == 0:
            break
        number += 1
        play_round(number, fa, fb, ra, rb, u, k, f, live, queue, s, r, wound, cure, weak, rng, tape, spare_a, spare_b)
    return number


@inner
def battle(u, k, f, live, queue, s, r, wound, cure, weak, rng, tape, spare_a, spare_b, shooters, small, steps):
    """From the revealed boards to the end; the result is left in s, u, f."""
    s.charger = -1
    s.flanked = -1
    s.outnumbered = -1
    still = small[0]
    for form in range(SQUADS):
        still[form] = 0
    if r.has_orders != 0:
        barrages(u, k, f, live, s, r, weak, rng, tape, spare_a, shooters)
        promote(f, still)
        charges(u, k, f, live, queue, s, r, wound, cure, weak, rng, tape, spare_a, spare_b, small[1], still)
        moves(u, f, live, r, small[1], small[2], steps)
        promote(f, still)
    s.rounds0 = flank_fight(0, u, k, f, live, queue, s, r, wound, cure, weak, rng, tape, spare_a, spare_b)
    s.rounds1 = flank_fight(1, u, k, f, live, queue, s, r, wound, cure, weak, rng, tape, spare_a, spare_b)
    s.rounds2 = flank_fight(2, u, k, f, live, queue, s, r, wound, cure, weak, rng, tape, spare_a, spare_b)
    s.final = 0
    squads_a = 0
    squads_b = 0
    for form in range(SQUADS):
        if f[form].n > 0:
            if form < 6:
                squads_a += 1
            else:
                squads_b += 1
    a_left = squads_a
    b_left = squads_b
    if squads_a > 0 and squads_b > 0:
        for side in range(2):
            whole = SQUADS + side
            f[whole].n = 0
            for form in range(side * 6, side * 6 + 6):
                for j in range(f[form].n):
                    live[whole, f[whole].n] = live[form, j]
                    f[whole].n += 1
        flanked = -1
        if squads_a < squads_b:
            flanked = 0
        elif squads_b < squads_a:
            flanked = 1
        s.final = to_the_death(
            SQUADS,
            SQUADS + 1,
            r.cap_final,
            -1,
            0,
            0,
            flanked,
            u,
            k,
            f,
            live,
            queue,
            s,
            r,
            wound,
            cure,
            weak,
            rng,
            tape,
            spare_a,
            spare_b,
        )
        a_left = f[SQUADS].n
        b_left = f[SQUADS + 1].n
    s.winner = -1
    if a_left > 0 and b_left == 0:
        s.winner = 0
    elif b_left > 0 and a_left == 0:
        s.winner = 1


@inner
def reset(u, u0, n, f, f0, live, s, wound, cure, weak, dirty):
    """Everything as before the first shot. `dirty`: effects were used in the last battle."""
    for form in range(FORMS):
        f[form] = f0[form]
    for form in range(SQUADS):
        f[form].n = 0
    for i in range(n):
        u[i] = u0[i]
        form = u0[i].form
        live[form, f[form].n] = i
        f[form].n += 1
    if dirty:
        for i in range(n):
            for t in range(wound.shape[1]):
                wound[i, t] = 0.0
                cure[i, t] = 0.0
                weak[i, t] = 0
    s.units = n
    s.barrage = 0
    s.first = 0
    s.covering = 0


@entry
def many(first, count, seed, tape, n, room, width, u0, k, f0, rules, rescue, lines, wins, totals, standing, dead, scores, deeds):
    """Fights `count` battles, numbers first, first + 1, …, and adds them to the tallies. Memory doesn't grow with `count`.

    wins: attacker, defender, draw. totals: rounds, rounds², blows, overflows. standing, dead: line × number → battles.
    scores: histogram of the attacker's margin −1..1. deeds: sacrificed per line."""
    u = np.zeros(room, UNIT)
    f = np.zeros(FORMS, FORM)
    one = np.zeros(1, STATE)
    s = one[0]
    r = rules[0]
    live = np.zeros((FORMS, room), np.uint32)
    queue = np.zeros((FORMS, room), np.uint32)
    wound = np.zeros((room, width))
    cure = np.zeros((room, width))
    weak = np.zeros((room, width), np.int32)
    spare_a = np.zeros(room, np.int64)
    spare_b = np.zeros(room, np.int64)
    shooters = np.zeros((SQUADS, n + 1), np.uint32)
    small = np.zeros((3, SQUADS), np.int64)
    steps = np.zeros((SQUADS, 3), np.int64)
    rng = np.zeros(2, np.uint64)
    alive = np.zeros(lines, np.int64)
    fielded = np.zeros(lines, np.int64)
    given = np.zeros(lines, np.int64)
    weight = np.zeros(2)
    for i in range(n):
        fielded[u0[i].line] += 1
        weight[u0[i].side] += k[u0[i].kind].weight
    worth = np.zeros(n)
    for i in range(n):
        share = k[u0[i].kind].weight / weight[u0[i].side]
        worth[i] = share if u0[i].side == 0 else -share
    bins = scores.shape[0]
    for number in range(first, first + count):
        seed_stream(rng, seed, number)
        reset(u, u0, n, f, f0, live, s, wound, cure, weak, r.has_ticks != 0)
        s.blows = 0
        s.overflow = 0
        battle(u, k, f, live, queue, s, r, wound, cure, weak, rng, tape, spare_a, spare_b, shooters, small, steps)
        wins[s.winner if s.winner >= 0 else 2] += 1
        rounds = max(s.rounds0, s.rounds1, s.rounds2) + s.final
        totals[0] += rounds
        totals[1] += rounds * rounds
        totals[2] += s.blows
        totals[3] += s.overflow
        for line in range(lines):
            alive[line] = 0
            given[line] = 0
        margin = 0.0
        for i in range(n):
            if u[i].hp > r.dead_below:
                alive[u[i].line] += 1
                margin += worth[i]
            elif u[i].sacrificed != 0:
                given[u[i].line] += 1
        for line in range(lines):
            fallen = fielded[line] - alive[line]
            back = (2 * rescue[line, 0] * (fallen - given[line]) + rescue[line, 1]) // (2 * rescue[line, 1])
            standing[line, alive[line]] += 1
            dead[line, fallen - back] += 1
            deeds[line] += given[line]
        scores[min(bins - 1, max(0, int((margin + 1.0) * 0.5 * (bins - 1) + 0.5)))] += 1
    return 0


@entry
def replay(tape, n, room, width, u0, k, f0, rules):
    """One battle from given draws: its units, formations, state, and how much of the tape it used."""
    u = np.zeros(room, UNIT)
    f = np.zeros(FORMS, FORM)
    one = np.zeros(1, STATE)
    live = np.zeros((FORMS, room), np.uint32)
    queue = np.zeros((FORMS, room), np.uint32)
    wound = np.zeros((room, width))
    cure = np.zeros((room, width))
    weak = np.zeros((room, width), np.int32)
    shooters = np.zeros((SQUADS, n + 1), np.uint32)
    small = np.zeros((3, SQUADS), np.int64)
    steps = np.zeros((SQUADS, 3), np.int64)
    rng = np.zeros(2, np.uint64)
    s = one[0]
    r = rules[0]
    reset(u, u0, n, f, f0, live, s, wound, cure, weak, True)
    spare_a = np.zeros(room, np.int64)
    spare_b = np.zeros(room, np.int64)
    battle(u, k, f, live, queue, s, r, wound, cure, weak, rng, tape, spare_a, spare_b, shooters, small, steps)
    return u, f, one, np.int64(rng[1])
