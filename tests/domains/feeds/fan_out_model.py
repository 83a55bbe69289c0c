"""A model of the fan-out of one post: its author's source, the followers, the timelines, and the network.

It does what `FeedRepository` does, one call at a time; a step takes one follower instead of 10,000. Between any two
calls another process goes on; at any call a process dies, or the call arrives once more later, or only later. What
`IntentWriter` decides is one step here, because `shared/writes/interleaving.py` explores its code.

Readers are numbers in the order of their names. A timeline is one cell: the time of its newest put, and of the newest
tombstone over it.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from attrs import frozen

from tests.shared.writes.exploring import Explored, explore

Message: TypeAlias = tuple[Any, ...]
STEP_MS = 3
"""The times of two revisions differ by this at least."""


@frozen
class Rules:
    """What the fan-out keeps. Each is there to be broken by a test."""

    rows_first: bool = True
    """The rows of a step are put before the position moves past them."""
    compares_record: bool = True
    """The position moves only if the record is still the one that the step read."""
    has_run: bool = True
    """A post that is posted again after it was erased is another record."""
    line_first: bool = True
    """A follow puts its line in the list of followers before it is decided."""
    dated_by_revision: bool = True
    """Rows have the time of the revision that the step read, and not the time of the post."""
    reads_post_after: bool = True
    """Who deletes a left-over line reads the post after the line, and deletes no later line."""


class Post(NamedTuple):
    """The source of the post. `state` is None before it is posted, and after it is erased."""

    state: str | None = None
    position: int = -1
    """The last reader that is done."""
    time: int = 0
    run: int = 0


class Reader(NamedTuple):
    """A reader: the edge, the line in the list of followers, and the post's line in the timeline."""

    follows: bool
    is_listed: bool
    put: int = -1
    tombstone: int = -1

    @property
    def has_line(self) -> bool:
        return self.put > self.tombstone


class Process(NamedTuple):
    """A process; `at` is its next step, and `memory` is what it knows."""

    name: str
    at: str
    memory: tuple[Any, ...] = ()


class World(NamedTuple):
    """Everything, at one moment. `late` and `compactions` are how many of them may still happen."""

    post: Post
    readers: tuple[Reader, ...]
    processes: tuple[Process, ...]
    network: frozenset[Message]
    owed: frozenset[int]
    """The readers who followed before the post, and still do."""
    late: int
    compactions: int

    def with_reader(self, number: int, **changes: Any) -> "World":
        readers = [*self.readers]
        readers[number] = readers[number]._replace(**changes)
        return self._replace(readers=tuple(readers))

    def with_post(self, **changes: Any) -> "World":
        """The world after the source's next revision."""
        time = max(self.post.time + STEP_MS, 10)
        return self._replace(post=self.post._replace(time=time, **changes))


def applied(world: World, message: Message) -> World:
    """The world after a put or a delete of a timeline's line arrived."""
    kind, number, time = message
    reader = world.readers[number]
    if kind == "put":
        return world.with_reader(number, put=max(reader.put, time))
    return world.with_reader(number, tombstone=max(reader.tombstone, time))


def compacted(world: World) -> World:
    """The world after a major compaction that keeps no tombstone."""
    readers = (reader._replace(put=reader.put if reader.has_line else -1, tombstone=-1) for reader in world.readers)
    return world._replace(readers=tuple(readers), compactions=world.compactions - 1)


def steps(rules: Rules, world: World) -> Iterator[tuple[str, World]]:
    """Everything that can happen next."""
    if world.compactions and any(reader.tombstone >= 0 for reader in world.readers):
        yield "compaction", compacted(world)
    for message in world.network:
        yield f"late {message}", applied(world._replace(network=world.network - {message}), message)
    for number, process in enumerate(world.processes):
        if process.at != "end":
            yield from _Turn(rules, world, number, process).steps()


class _Turn:
    """The next step of one process, in every way it can go."""

    def __init__(self, rules: Rules, world: World, number: int, process: Process) -> None:
        self.rules = rules
        self.world = world
        self.number = number
        self.process = process

    def steps(self) -> Iterator[tuple[str, World]]:
        yield f"{self.process.name} dies", self.then("end")
        yield from getattr(self, f"_{self.process.at}")(*self.process.memory)

    def then(self, at: str, *memory: Any) -> World:
        """The world in which this process is about to take step `at`."""
        process = self.process._replace(at=at, memory=memory)
        processes = (*self.world.processes[: self.number], process, *self.world.processes[self.number + 1 :])
        return self.world._replace(processes=processes)

    def _sent(self, message: Message, at: str, *memory: Any) -> Iterator[tuple[str, World]]:
        """A call: answered; answered, and once more later; or not answered, and applied later."""
        name, following = f"{self.process.name} {message}", self.then(at, *memory)
        yield name, applied(following, message)
        if self.world.late:
            under_way = {"late": self.world.late - 1, "network": self.world.network | {message}}
            yield f"{name}, and again later", applied(following._replace(**under_way), message)
            yield f"{name}, given up", self.then("end")._replace(**under_way)

    # A poster, and a recoverer, which goes on with an unfinished post

    def _post(self) -> Iterator[tuple[str, World]]:
        if self.world.post.state is None:
            run = self.world.post.run + 1 if self.rules.has_run else 0
            owed = frozenset(number for number, reader in enumerate(self.world.readers) if reader.follows)
            posted = self.then("read").with_post(state="spreading", position=-1, run=run)._replace(owed=owed)
            yield f"{self.process.name} posts", posted
        else:
            yield f"{self.process.name} finds the post", self.then("read")

    def _read(self) -> Iterator[tuple[str, World]]:
        post = self.world.post
        at = ("scan", post) if post.state == "spreading" else ("end",)
        yield f"{self.process.name} reads {post}", self.then(*at)

    def _scan(self, read: Post) -> Iterator[tuple[str, World]]:
        following = [number for number, reader in enumerate(self.world.readers) if reader.is_listed]
        receiver = next((number for number in following if number > read.position), None)
        name = f"{self.process.name} finds reader {receiver}"
        if receiver is None or not self.rules.rows_first:
            yield name, self.then("move", read, receiver)
        else:
            yield name, self.then("put", read, receiver)

    def _put(self, read: Post, receiver: int) -> Iterator[tuple[str, World]]:
        time = read.time if self.rules.dated_by_revision else 10
        following = ("move", read, receiver) if self.rules.rows_first else ("read",)
        yield from self._sent(("put", receiver, time), *following)

    def _move(self, read: Post, receiver: int | None) -> Iterator[tuple[str, World]]:
        post = self.world.post
        is_same = post._replace(time=0) == read._replace(time=0)  # a recoverer may have raised the revision
        if post.state == "spreading" and (is_same or not self.rules.compares_record):
            changes = {"state": "spread", "position": -1} if receiver is None else {"position": receiver}
            following = ("put", read, receiver) if receiver is not None and not self.rules.rows_first else ("read",)
            yield f"{self.process.name} moves {changes}", self.then(*following).with_post(**changes)
        else:
            yield f"{self.process.name} finds {post}", self.then("read")

    # Others

    def _delete_post(self) -> Iterator[tuple[str, World]]:
        if self.world.post.state in ("spreading", "spread"):
            yield f"{self.process.name} deletes", self.then("end").with_post(state="deleted", position=-1)

    def _erase_post(self) -> Iterator[tuple[str, World]]:
        if self.world.post.state is not None:
            erased = self.then("erase_line", 0).with_post(state=None, position=-1)._replace(owed=frozenset())
            yield f"{self.process.name} erases", erased

    def _erase_line(self, number: int) -> Iterator[tuple[str, World]]:
        following = ("erase_line", number + 1) if number + 1 < len(self.world.readers) else ("end",)
        reader = self.world.readers[number]
        if reader.has_line:
            yield f"{self.process.name} finds a line", self.then("erase_found", number, reader.put, following)
        else:
            yield f"{self.process.name} finds no line", self.then(*following)

    def _erase_found(self, number: int, time: int, following: tuple[Any, ...]) -> Iterator[tuple[str, World]]:
        if self.world.post.state is None or not self.rules.reads_post_after:
            yield from self._sent(("delete", number, time), *following)
        else:
            yield f"{self.process.name} keeps the line of a new post", self.then(*following)

    def _follow(self, number: int) -> Iterator[tuple[str, World]]:
        if self.world.readers[number].follows:
            yield f"{self.process.name} follows already", self.then("end")
        elif self.rules.line_first:
            listed = self.then("decide_follow", number).with_reader(number, is_listed=True)
            yield f"{self.process.name} is listed", listed
        else:
            yield f"{self.process.name} follows", self.then("be_listed", number).with_reader(number, follows=True)

    def _decide_follow(self, number: int) -> Iterator[tuple[str, World]]:
        following = self.then("end").with_reader(number, follows=True, is_listed=True)
        yield f"{self.process.name} follows", following

    def _be_listed(self, number: int) -> Iterator[tuple[str, World]]:
        yield f"{self.process.name} is listed", self.then("end").with_reader(number, is_listed=True)

    def _unfollow(self, number: int) -> Iterator[tuple[str, World]]:
        unfollowed = self.then("leave_list", number).with_reader(number, follows=False)
        yield f"{self.process.name} unfollows", unfollowed._replace(owed=self.world.owed - {number})

    def _leave_list(self, number: int) -> Iterator[tuple[str, World]]:
        still_follows = self.world.readers[number].follows  # its delete is dated before a later follow
        yield f"{self.process.name} leaves the list", self.then("end").with_reader(number, is_listed=still_follows)

    def _trim(self, number: int) -> Iterator[tuple[str, World]]:
        """Deletes the line if it is a left-over."""
        reader, state = self.world.readers[number], self.world.post.state
        if reader.has_line and (not reader.follows or state in (None, "deleted")):
            yield from self._sent(("delete", number, reader.put), "end")
        else:
            yield f"{self.process.name} keeps the line", self.then("end")


def shown(world: World) -> list[int]:
    """The readers who see the post in their timelines."""
    is_there = world.post.state in ("spreading", "spread")
    return [number for number, reader in enumerate(world.readers) if is_there and reader.has_line and reader.follows]


def fault_of(world: World) -> str | None:
    """What is wrong in a world, or None.

    A post that is finished is shown to every reader who followed from before the post until now. A post can always be
    finished: while it is not, its source says so. A deleted one is shown to nobody, since readers fetch it.
    """
    if world.post.state == "spread" and (missing := world.owed - {*shown(world)}):
        return f"the post is finished, and {sorted(missing)} do not see it"
    return None


def world_of(*processes: Process, readers: int = 2, late: int = 0, compactions: int = 0, listed: int = 2) -> World:
    """The first world: no post, and readers, of whom the first `listed` follow the author."""
    are = tuple(Reader(number < listed, number < listed) for number in range(readers))
    nothing: frozenset[Any] = frozenset()
    return World(Post(), are, processes, nothing, nothing, late, compactions)


def explore_fan_out(world: World, rules: Rules | None = None, most: int = 200_000) -> Explored:
    """Every world that the fan-out reaches from this one."""
    return explore(world, partial(steps, rules or Rules()), fault_of, most)
