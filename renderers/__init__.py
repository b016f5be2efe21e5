"""An outcome, filtered for its audience -> BBCode post, map picture, PDF."""

from renderers.bbcode import Board, Post, render_posts
from renderers.document import cited_rules, figures, report_to_json
from renderers.fonts import missing_faces, text_layout_status, web_faces
from renderers.html import render_html
from renderers.maps import draw_png
from renderers.pdf import Chronicle, DigestMeta, Picture, Player, Turn, read_attachments, render_chronicle, render_digest
from renderers.templates import environment
from renderers.text import render_text

__all__ = [
    "Board",
    "Chronicle",
    "DigestMeta",
    "Picture",
    "Player",
    "Post",
    "Turn",
    "cited_rules",
    "draw_png",
    "environment",
    "figures",
    "missing_faces",
    "read_attachments",
    "render_chronicle",
    "render_digest",
    "render_html",
    "render_posts",
    "render_text",
    "report_to_json",
    "text_layout_status",
    "web_faces",
]
