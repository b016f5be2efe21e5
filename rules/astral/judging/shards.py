"""What an owner does with the people of a shard: care and sacrifice (R60, R64)."""

from __future__ import annotations

from rules.astral import commands as c
from rules.astral import effects
from rules.astral.judging.hearing import Hearing
from rules.astral.judging.refusal import refuse
from rules.astral.judging.targets import existing_shard
from rules.astral.judging.verdicts import Judged
from rules.astral.messages import Fault
from rules.astral.state import ShardId


def care(hearing: Hearing, command: c.Care) -> Judged:
    """Care for a shard; each further one in a sheet has its own price (R60)."""
    _require_own_or_coming(hearing, command.shard)
    done = sum(earlier.shard == command.shard for earlier in hearing.given(c.Care))
    return hearing.accept(command, effects.care_price(hearing.game, hearing.me_id, command.shard, done))


def sacrifice(hearing: Hearing, command: c.Sacrifice) -> Judged:
    """The sacrifice of a shard's people (R64)."""
    earlier = hearing.given(c.Sacrifice)
    if len(earlier) >= hearing.game.settings.sacrifice_limit:
        refuse("E_SACRIFICE_LIMIT", at="shard", name=hearing.game.shards[earlier[0].shard].label)
    _require_own_or_coming(hearing, command.shard)
    return hearing.accept(command)


def warn_of_sacrifice(hearing: Hearing) -> None:
    """R68: a sacrifice makes care void; warns once a sheet."""
    by_owner = hearing.game.settings.sacrifice_cancels_care == "owner"
    cared = [(verdict.index, _shard_of(verdict)) for verdict in hearing.accepted(c.Care)]
    for verdict in hearing.accepted(c.Sacrifice):
        void = [index for index, shard in cared if by_owner or shard == _shard_of(verdict)]
        if void:
            hearing.warn(void[0], Fault("W_SACRIFICE_CANCELS_CARE"))
            return


def _shard_of(verdict: Judged) -> ShardId:
    assert isinstance(verdict.command, c.Care | c.Sacrifice)
    return verdict.command.shard


def _require_own_or_coming(hearing: Hearing, shard: ShardId) -> None:
    """R69: own now, or what an attack of this sheet is to bring."""
    place = existing_shard(hearing, shard)
    coming = set()
    for command in hearing.not_refused():
        if isinstance(command, c.AttackNeutral):
            coming.add(command.shard)
        elif isinstance(command, c.AttackOwner) and command.target in hearing.game.owners:
            coming.add(hearing.view.outer(command.target) or "")
    if shard not in hearing.me.shards and shard not in coming:
        refuse("E_SHARD_NOT_YOURS", at="shard", name=place.label)
