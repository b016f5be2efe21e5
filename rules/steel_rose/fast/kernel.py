"""Compiled: a whole battle (as `battle.engine` and `battle.planning`) and many of them, counted (arguments: see `factors`)."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,untyped-decorator"
from __future__ import annotations

import numpy as np

from rules.steel_rose.fast.blows import shoot
from rules.steel_rose.fast.compiled import copied, entry, inner
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
)
from rules.steel_rose.fast.random import permute, seed_stream
from rules.steel_rose.fast.rounds import engagement


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


@copied
def barrages(u, k, f, live, s, r, e, rng, tape, spare, shooters):
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
                shoot(i, target, cover, u, k, f, live, s, r, e, rng, tape, spare)
    s.barrage = 0


@copied
def charges(u, k, f, live, queue, s, r, e, rng, tape, spare_a, spare_b, list_, still):
    """Steps 3 and 4 of planning: covering squads, charges in a random order (R32, R38–R41)."""
    for form in range(SQUADS):
        if f[form].order == DEFEND and f[form].n > 0:
            tire(form, r.defend_fatigue, u, f, live)
            f[f[form].target].guard = form
    count = np.int64(0)
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
        first = np.int64(1)
        for step in range(2):
            opponent = guard if step == 0 else target
            if opponent < 0 or f[opponent].n == 0:
                continue
            engagement(
                form if side == 0 else opponent,
                opponent if side == 0 else form,
                np.int64(-1),
                np.int64(-1),
                r.cap_charge,
                side,
                np.int64(step == 0),
                first,
                np.int64(-1),
                u,
                k,
                f,
                live,
                queue,
                s,
                r,
                e,
                rng,
                tape,
                spare_a,
                spare_b,
            )
            if f[form].n == 0 or f[opponent].n > 0:
                break
            first = np.int64(0)
        promote(f, still)


@copied
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
def merge(f, live):
    """Each side's survivors become one formation (R71)."""
    for side in range(2):
        whole = SQUADS + side
        f[whole].n = 0
        for form in range(side * 6, side * 6 + 6):
            for j in range(f[form].n):
                live[whole, f[whole].n] = live[form, j]
                f[whole].n += 1


@copied
def battle(u, k, f, live, queue, s, r, e, rng, tape, spare_a, spare_b, shooters, small, steps):
    """From the revealed boards to the end; the result is left in s, u, f."""
    s.charger = -1
    s.flanked = -1
    s.outnumbered = -1
    still = small[0]
    for form in range(SQUADS):
        still[form] = 0
    if r.has_orders != 0:
        barrages(u, k, f, live, s, r, e, rng, tape, spare_a, shooters)
        promote(f, still)
        charges(u, k, f, live, queue, s, r, e, rng, tape, spare_a, spare_b, small[1], still)
        moves(u, f, live, r, small[1], small[2], steps)
        promote(f, still)
    # each flank alone, then the final: one place to fight them from
    s.rounds0 = 0
    s.rounds1 = 0
    s.rounds2 = 0
    s.final = 0
    squads_a = 0
    squads_b = 0
    a_left = 0
    b_left = 0
    for part in range(4):
        fa = np.int64(SQUADS)
        fb = np.int64(SQUADS + 1)
        ra = np.int64(-1)
        rb = np.int64(-1)
        cap = r.cap_clash
        flanked = np.int64(-1)
        if part < 3:
            fa = squad_on(np.int64(0), 2 * part, f)
            fb = squad_on(np.int64(1), 2 * part, f)
            ra = squad_on(np.int64(0), 2 * part + 1, f)
            rb = squad_on(np.int64(1), 2 * part + 1, f)
            if fa < 0 or fb < 0:
                continue
        else:
            for form in range(SQUADS):
                if f[form].n > 0:
                    if form < 6:
                        squads_a += 1
                        a_left += f[form].n
                    else:
                        squads_b += 1
                        b_left += f[form].n
            if squads_a == 0 or squads_b == 0:
                break
            merge(f, live)
            cap = r.cap_final
            if squads_a < squads_b:
                flanked = np.int64(0)
            elif squads_b < squads_a:
                flanked = np.int64(1)
        number = engagement(
            fa,
            fb,
            ra,
            rb,
            cap,
            np.int64(-1),
            np.int64(0),
            np.int64(0),
            flanked,
            u,
            k,
            f,
            live,
            queue,
            s,
            r,
            e,
            rng,
            tape,
            spare_a,
            spare_b,
        )
        if part == 0:
            s.rounds0 = number
        elif part == 1:
            s.rounds1 = number
        elif part == 2:
            s.rounds2 = number
        else:
            s.final = number
            a_left = f[SQUADS].n
            b_left = f[SQUADS + 1].n
    s.winner = -1
    if a_left > 0 and b_left == 0:
        s.winner = 0
    elif b_left > 0 and a_left == 0:
        s.winner = 1


@copied
def reset(u, u0, n, f, f0, live, s, r, e):
    """Everything as before the first shot: what this kind of battle may have changed."""
    for form in range(FORMS):
        f[form] = f0[form]
    for form in range(SQUADS):
        f[form].n = 0
    for i in range(n):
        u[i].hp = u0[i].hp
        u[i].armor = u0[i].armor
        u[i].tough = u0[i].tough
        u[i].fury = u0[i].fury
        u[i].flags = u0[i].flags
        form = u0[i].form
        live[form, f[form].n] = i
        f[form].n += 1
    if r.has_ticks != 0:
        for i in range(n):
            if u[i].busy != 0:
                u[i].busy = 0
                u[i].weak = 0
                u[i].phase = 0
                for t in range(e.shape[1]):
                    e[i, t].wound = 0.0
                    e[i, t].cure = 0.0
                    e[i, t].weak = 0
    if r.has_growing_shots != 0:
        for i in range(n):
            u[i].magic = u0[i].magic
    if r.has_orders != 0:
        for i in range(n):
            u[i].fatigue = u0[i].fatigue
    if r.has_sacrifices != 0:
        for i in range(n):
            u[i].sacrificed = 0
    s.units = n
    s.barrage = 0
    s.first = 0
    s.covering = 0


@entry
def many(first, count, seed, tape, u, e, u0, k, f0, rules, rescue, wins, totals, standing, dead, scores, deeds, last):
    """Fights `count` battles, numbers first, first + 1, …, and adds them to the tallies. Memory doesn't grow with `count`.

    `tape`: None for random numbers, or the draws of one battle. u, e: room for units and effects. wins: attacker, defender,
    draw. totals: rounds, rounds², blows, overflows, draws. standing, dead: line × number → battles. scores: histogram of the
    attacker's margin −1..1. deeds: sacrificed per line. last: the state at the end of the last battle."""
    n = u0.shape[0]
    room = u.shape[0]
    lines = rescue.shape[0]
    f = np.zeros(FORMS, FORM)
    s = last[0]
    r = rules[0]
    live = np.zeros((FORMS, room), np.uint32)
    queue = np.zeros((FORMS, room), np.uint32)
    spare_a = np.zeros(room, np.int64)
    spare_b = np.zeros(room, np.int64)
    shooters = np.zeros((SQUADS, n + 1), np.uint32)
    small = np.zeros((3, SQUADS), np.int64)
    steps = np.zeros((SQUADS, 3), np.int64)
    rng = np.zeros(2, np.uint64)
    alive = np.zeros(lines, np.int64)
    fielded = np.zeros(lines, np.int64)
    given = np.zeros(lines, np.int64)
    line_of = np.zeros(n, np.int64)
    weight = np.zeros(2)
    for i in range(n):
        u[i] = u0[i]
        line_of[i] = u0[i].line
        fielded[line_of[i]] += 1
        weight[u0[i].side] += k[u0[i].kind].weight
    worth = np.zeros(n)
    for i in range(n):
        share = k[u0[i].kind].weight / weight[u0[i].side]
        worth[i] = share if u0[i].side == 0 else -share
    bins = scores.shape[0]
    for number in range(first, first + count):
        if tape is None:
            seed_stream(rng, seed, number)
        reset(u, u0, n, f, f0, live, s, r, e)
        s.blows = 0
        s.draws = 0
        s.overflow = 0
        battle(u, k, f, live, queue, s, r, e, rng, tape, spare_a, spare_b, shooters, small, steps)
        wins[s.winner if s.winner >= 0 else 2] += 1
        rounds = max(s.rounds0, s.rounds1, s.rounds2) + s.final
        totals[0] += rounds
        totals[1] += rounds * rounds
        totals[2] += s.blows
        totals[3] += s.overflow
        totals[4] += s.draws
        for line in range(lines):
            alive[line] = 0
            given[line] = 0
        margin = 0.0
        for i in range(n):
            if u[i].hp > r.dead_below:
                alive[line_of[i]] += 1
                margin += worth[i]
            elif u[i].sacrificed != 0:
                given[line_of[i]] += 1
        for line in range(lines):
            fallen = fielded[line] - alive[line]
            back = (2 * rescue[line, 0] * (fallen - given[line]) + rescue[line, 1]) // (2 * rescue[line, 1])
            standing[line, alive[line]] += 1
            dead[line, fallen - back] += 1
            deeds[line] += given[line]
        scores[min(bins - 1, max(0, int((margin + 1.0) * 0.5 * (bins - 1) + 0.5)))] += 1
    return np.int64(rng[1])
