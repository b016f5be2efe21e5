"""Compiled: rounds and engagements, step by step as in `battle.fight` (arguments: see `factors`)."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,untyped-decorator"
from __future__ import annotations

from rules.steel_rose.fast.blows import exchanges, shoot
from rules.steel_rose.fast.compiled import copied, hot, inner
from rules.steel_rose.fast.factors import cure, enter, refresh_all_in, refresh_all_out, refresh_in, refresh_out, tick, wound
from rules.steel_rose.fast.layout import SHOOTER, SUMMONER, UNKNOWN
from rules.steel_rose.fast.random import PICK, below


@hot
def summon(by, form, u, k, f, live, s, r, e):
    """A summoned unit joins a formation at once; it strikes from the next shuffle on (R48, R69)."""
    i = s.units
    if i >= u.shape[0]:
        s.overflow = 1
        return
    s.units = i + 1
    which = k[u[by].kind].summoned
    kind = k[which]
    u[i].hp = kind.hp
    u[i].max_hp = kind.hp
    u[i].armor = kind.armor
    u[i].tough = 1.0
    u[i].fury = 1.0
    u[i].magic = 1.0
    u[i].min_melee = kind.min_melee
    u[i].attack = kind.attack
    u[i].flags = kind.flags
    u[i].regen = kind.regen
    u[i].weak = 0
    u[i].busy = 0
    u[i].kind = which
    u[i].side = u[by].side
    u[i].form = form
    u[i].line = -1
    u[i].fatigue = f[form].fatigue if form < 12 else u[by].fatigue
    u[i].favored = 0
    u[i].squeamish = 0
    u[i].sacrificed = 0
    u[i].phase = 0
    for t in range(e.shape[1]):
        e[i, t].wound = 0.0
        e[i, t].cure = 0.0
        e[i, t].weak = 0
    live[form, f[form].n] = i
    f[form].n += 1
    if kind.aura_out != 0.0 or kind.aura_in != 0.0:
        enter_auras = f[form].queue
        enter(form, u, k, f, live, s, r)
        f[form].queue = enter_auras
    else:
        refresh_out(u[i], kind, f[form], s, r)
        refresh_in(u[i], kind, f[form], s, r)


@copied
def round_start(number, fa, fb, ra, rb, u, k, f, live, s, r, e, rng, tape):
    """Summons, healers, belches; attacker before defender, vanguard before rear (R46)."""
    for stage in range(3):
        if (stage == 0 and r.has_summons == 0) or (stage == 1 and r.has_cures == 0) or (stage == 2 and r.has_belches == 0):
            continue
        wanted = SUMMONER << stage
        for side in range(2):
            front = fa if side == 0 else fb
            rear = ra if side == 0 else rb
            enemy = fb if side == 0 else fa
            for row in range(2):
                form = front if row == 0 else rear
                if form < 0:
                    continue
                for j in range(f[form].n):
                    i = live[form, j]
                    if u[i].flags & wanted == 0:
                        continue
                    kind = k[u[i].kind]
                    if stage == 0:
                        summon(i, front, u, k, f, live, s, r, e)
                    elif stage == 1:
                        t = live[front, below(rng, tape, PICK, f[front].n)]
                        cure(t, kind.cure, kind.cure_rounds, u, e)
                        s.draws += 1
                    elif row == 0 and (number - 1) % kind.belch_every == 0:
                        t = live[enemy, below(rng, tape, PICK, f[enemy].n)]
                        wound(t, kind.belch, kind.belch_rounds, u, e)
                        s.draws += 1


@copied
def rear_shots(rear, enemy, u, k, f, live, s, r, e, rng, tape, spare):
    """Every living shooter of a rear fires once at the enemy vanguard (R46)."""
    for j in range(f[rear].n):
        i = live[rear, j]
        if u[i].flags & SHOOTER:
            if f[enemy].n == 0:
                break
            shoot(i, enemy, 1.0, u, k, f, live, s, r, e, rng, tape, spare)


@hot
def penalised(a, b, ratio):
    """The outnumbered side, −1: neither (R51)."""
    if a >= ratio * b:
        return 1 if b > 0 else -1
    if b >= ratio * a:
        return 0 if a > 0 else -1
    return -1


@copied
def play_round(number, fa, fb, ra, rb, u, k, f, live, queue, s, r, e, rng, tape, spare_a, spare_b):
    """One round of an engagement (R46); ra, rb: rears, −1 for none."""
    if r.has_summons | r.has_cures | r.has_belches:
        round_start(number, fa, fb, ra, rb, u, k, f, live, s, r, e, rng, tape)
    na = f[fa].n
    nb_ = f[fb].n
    outnumbered = penalised(na, nb_, r.outnumber_ratio)
    if outnumbered != s.outnumbered:
        s.outnumbered = outnumbered
        refresh_all_in(fa, u, k, f, live, s, r)
        refresh_all_in(fb, u, k, f, live, s, r)
    if r.has_shots != 0:
        for side in range(2):
            rear = ra if side == 0 else rb
            if rear >= 0:
                rear_shots(rear, fb if side == 0 else fa, u, k, f, live, s, r, e, rng, tape, spare_a)
    exchanges(max(na, nb_), fa, fb, u, k, f, live, queue, s, r, e, rng, tape, spare_a, spare_b)
    if r.has_ticks != 0:
        for which in range(4):
            form = fa if which == 0 else ra if which == 1 else fb if which == 2 else rb
            if form >= 0:
                tick(form, u, f, live, s, r, k, e)


@inner
def engagement(
    fa, fb, ra, rb, cap, charger, covering, first, flanked, u, k, f, live, queue, s, r, e, rng, tape, spare_a, spare_b
):
    """Two formations fight until one side has nobody, at most `cap` rounds: a flank, with its rears (−1: none) that step up
    (R43–R45), a charge (R39) or the final (R71). Its rounds (R52).

    One function for all three, and one place that plays a round: the compiler works through it all but once."""
    s.charger = charger
    s.covering = covering
    s.first = first
    s.flanked = flanked
    s.outnumbered = UNKNOWN
    for which in range(4):
        form = fa if which == 0 else fb if which == 1 else ra if which == 2 else rb
        if form >= 0:
            enter(form, u, k, f, live, s, r)
    number = 0
    while number < cap:
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
        if number == 2 and s.first != 0:
            s.first = 0
            refresh_all_out(fa, u, k, f, live, s, r)
            refresh_all_out(fb, u, k, f, live, s, r)
        play_round(number, fa, fb, ra, rb, u, k, f, live, queue, s, r, e, rng, tape, spare_a, spare_b)
    s.charger = -1
    s.covering = 0
    s.first = 0
    s.flanked = -1
    s.outnumbered = -1
    return number
