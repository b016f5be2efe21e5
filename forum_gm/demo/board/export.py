"""A topic saved as one standalone HTML file, with its attachments beside it."""

from __future__ import annotations

from pathlib import Path

from forum_gm.demo.board.views import TEMPLATES, Links, environment, pages, poll_view, post_view
from forum_gm.demo.board.world import GUEST, World


class SavedLinks(Links):
    """Links inside a saved page: to a post on it, by its anchor; profiles keep their address, which tells accounts apart."""

    def __call__(self, address: str) -> str:
        if "viewtopic.php" in address:
            return "#" + address.partition("#")[2] if "#" in address else "#top"
        return address


def export_topic(world: World, topic: int, path: Path) -> list[Path]:
    """All posts on one page as a guest sees them; files go into `NAME_files/`. The same board gives the same bytes."""
    thread = world.threads[topic]
    entries = world.seen_in(thread, GUEST)
    folder = path.with_name(path.stem + "_files")
    written: list[Path] = []
    names: dict[int, str] = {}
    path.parent.mkdir(parents=True, exist_ok=True)
    for entry in entries:
        for file_id in entry.files:
            stored = world.files[file_id]
            folder.mkdir(exist_ok=True)
            target = folder / f"{stored.id}-{stored.name.replace('/', '_')}"
            target.write_bytes(stored.data)
            names[file_id] = f"{folder.name}/{target.name}"
            written.append(target)
    links = SavedLinks()
    html = (
        environment()
        .get_template("viewtopic.html")
        .render(
            board=world.settings,
            user=None,
            u=links,
            sid="",
            page_title=thread.title,
            section="viewtopic",
            unread=0,
            zone=f"UTC+{world.settings.zone_hours:02d}:00",
            thread=thread,
            room=world.rooms[thread.room],
            total=len(entries),
            start=0,
            pages=pages(len(entries), max(len(entries), 1), 0),
            size=max(len(entries), 1),
            params=f"./viewtopic.php?t={thread.id}",
            posts=[post_view(world, entry, None, links, download=names) for entry in entries],
            poll=poll_view(thread, GUEST),
            may_reply=False,
            moderator=False,
            tokens={},
            base="",
            saved_style=(TEMPLATES / "board.css").read_text("utf-8"),
        )
    )
    path.write_text(html, "utf-8")
    return [path, *written]
