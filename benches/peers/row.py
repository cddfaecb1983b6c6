"""What a group compares: one row of the table."""

from dataclasses import dataclass


@dataclass
class Row:
    """Our side runs `request`; the side `peer` runs it through `library`, or runs `peer_request`."""

    name: str
    request: dict
    peer: str | None  # "python", "rust", "ours", or None for a fixed limit
    library: str | None
    target: float  # the least ratio, peer over ours
    reps: int = 5
    unit: str = "s"
    tolerance: float = 1e-9  # of the result's norm, against numpy in f64
    peer_request: dict | None = None
    scale: float = 1.0  # of the peer's value, where the two do different amounts of work
    limit: float | None = None

    def theirs(self):
        """The peer's request."""
        request = {**(self.peer_request or self.request), **({"impl": self.library} if self.library else {})}
        if self.peer == "python":
            del request["device"]
        return request
