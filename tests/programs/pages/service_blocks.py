"""The blocks of the page about services: what was measured, the consumer of a queue, and the rights of a service."""

from collections.abc import Iterator, Mapping
from textwrap import dedent, indent
from typing import Any

from shared.exhibit.markdown import filled, markdown_table, text_block
from shared.tables.ddl import grant_statements
from tests.designs import design_named
from tests.programs.kafka.server import CONSUMER
from tests.programs.pages.claim_blocks import measured, recorded

USER = "svc"


def service_blocks() -> dict[str, str]:
    """By name: figures of threads, the consumer, the rights, and what was killed."""
    grants = "\n".join(grant_statements(design_named("orders").main.tables, USER))
    command = filled(f"`rowbook ddl orders --grants {USER}` prints, for the HBase shell:")
    return {
        "services": _services(),
        "consumer": text_block(_loop_of(CONSUMER.read_text(encoding="utf-8")), "py"),
        "grants": f"{command}\n\n{text_block(grants, 'ruby')}",
        "killed": _killed(),
    }


def _loop_of(program: str) -> str:
    """What a consumer does with each message."""
    loop = program.partition("    while True:\n")[2].partition("\n\n\n")[0]
    return f"while True:\n{indent(dedent(loop), ' ' * 4)}"


def _services() -> str:
    figures = recorded()["services"]["figures"]
    programs: Mapping[str, Mapping[str, list[float]]] = figures["programs"]
    caption = (
        f"Answers a second to {figures['clients']} clients, and the 99th percentile: an order by number, a seller's "
        f"page of {figures['page']}, an order placed. Clients, service, gateway and HBase share the machine. "
        f"{measured('services')}"
    )
    columns = ("program", "order/s", "99 %, ms", "page/s", "99 %, ms", "placed/s", "99 %, ms")
    return f"{filled(caption)}\n\n{markdown_table(columns, _programs(programs))}"


def _programs(programs: Mapping[str, Mapping[str, list[float]]]) -> Iterator[tuple[str, ...]]:
    for name, of in programs.items():
        cells = [f"{value:.0f}" for kind in ("order", "page", "placed") for value in of.get(kind, ())]
        yield name, *cells, *[""] * (6 - len(cells))


def _killed() -> str:
    figures = recorded()["killed services"]["figures"]
    services: dict[str, dict[str, Any]] = {name: of for name, of in figures.items() if isinstance(of, dict)}
    caption = (
        f"{figures['clients']} clients write, and repeat a request after 503, 504 and no answer. Every "
        f"{figures['seconds']} s a worker (Flask), the whole service (FastAPI) or a gateway is killed, or a gateway is "
        "paused beyond the deadline. Afterwards every acknowledged write is in all its tables, no room has two guests "
        f"in a night, and no status was 500. {measured('killed services')}"
    )
    columns = ("service", "killed or paused", "written", "409", "503 and 504", "no answer", "settled by repeating")
    return f"{filled(caption)}\n\n{markdown_table(columns, _killed_rows(services))}"


def _killed_rows(services: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, ...]]:
    for name, of in services.items():
        number_of = {int(status): number for status, number in of["statuses"].items()}
        written, late = (sum(number_of.get(status, 0) for status in some) for some in ((200, 204), (503, 504)))
        numbers = (of["troubles"], written, number_of.get(409, 0), late, of["cut"], of["settled"])
        yield name, *(f"{number:,}" for number in numbers)
