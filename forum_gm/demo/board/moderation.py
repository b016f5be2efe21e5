"""The moderators' panel of the embedded board, as far as a game master needs it: locking a topic, approving a post."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forum_gm.demo.board.faults import FaultKind
from forum_gm.demo.board.http import Response

if TYPE_CHECKING:
    from forum_gm.demo.board.site import Turn

ACTIONS = {
    "lock": ("Закрыть тему", "Вы уверены, что хотите закрыть эту тему?", "Выбранная тема закрыта."),
    "unlock": ("Открыть тему", "Вы уверены, что хотите открыть эту тему?", "Выбранная тема открыта."),
    "approve": ("Одобрить сообщение", "Вы уверены, что хотите одобрить это сообщение?", "Сообщение одобрено."),
}


def moderate(turn: Turn) -> Response:
    """mcp.php."""
    request, world = turn.request, turn.world
    if turn.user is None:
        return turn.login_box(error="Для входа в панель модератора вы должны быть авторизованы.")
    action = request.get("action") or ""
    if not turn.user.moderator or turn.struck(FaultKind.FORBIDDEN):
        return turn.message("У вас нет прав модератора.", status=403)
    thread = world.threads.get(request.number("t"))
    if thread is None or action not in ACTIONS:
        return turn.message("Запрошенной темы не существует.", status=404)
    heading, question, done = ACTIONS[action]
    if (
        request.method != "POST"
        or request.get("confirm") != "Да"
        or request.query.get("confirm_key") != turn.site.confirm_key(turn.user_id)
        or turn.struck(FaultKind.TOKEN)
    ):
        key = turn.site.confirm_key(turn.user_id, new=True)
        return turn.page(
            "confirm.html",
            title=heading,
            heading=heading,
            question=question,
            action=f"./mcp.php?action={action}&t={thread.id}&p={request.number('p')}&quickmod=1&confirm_key={key}",
            hidden_values={"action": action, "topic_id_list[0]": str(thread.id)},
            reason=False,
        )
    turn.site.confirm_key(turn.user_id, new=True)
    if action == "approve" and request.number("p") in world.entries:
        world.approve(request.number("p"))
        thread.approved = True
    elif action in ("lock", "unlock"):
        thread.locked = action == "lock"
    back = f"./viewtopic.php?t={thread.id}"
    return turn.message(done, refresh=(3, back), links=((back, "Вернуться в тему"),))
