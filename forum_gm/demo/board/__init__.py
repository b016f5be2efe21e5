"""An embedded board that behaves to a client like phpBB 3.3 with a Russian interface: for the demo, the tests and rehearsals."""

from forum_gm.demo.board.faults import Fault, FaultKind
from forum_gm.demo.board.model import BoardSettings
from forum_gm.demo.board.server import BoardServer
from forum_gm.demo.board.world import World

__all__ = ["BoardServer", "BoardSettings", "Fault", "FaultKind", "World"]
