"""Two endpoints of `orders` by hand, as most services on happybase are written: a pool, a scan, a get, and JSON.

It reads the rows that `orders` stores. It has no cursor, no deadline, no retry and no metrics.

    uvicorn tests.programs.service.by_hand:app
"""

import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import happybase
import msgpack
from anyio.to_thread import current_default_thread_limiter
from fastapi import FastAPI
from fastapi.responses import JSONResponse

THREADS = int(os.environ["THREADS"])
POOL = happybase.ConnectionPool(
    THREADS, host="127.0.0.1", port=int(os.environ["GATEWAY_PORT"]), table_prefix=os.environ["TABLE_PREFIX"]
)


@asynccontextmanager
async def _running(_app: FastAPI) -> AsyncGenerator[None]:
    current_default_thread_limiter().total_tokens = THREADS
    yield


app = FastAPI(lifespan=_running)


@app.get("/live")
async def live() -> str:
    """Whether the process runs."""
    return "live"


@app.get("/order")
def order(order_number: str) -> JSONResponse:
    """An order by its number."""
    with POOL.connection() as connection:
        cells = connection.table("orders").row(order_number.encode(), columns=[b"o:order"])
    *_, fields = msgpack.unpackb(cells[b"o:order"], strict_map_key=False)
    names = {b"s": "seller_id", b"b": "buyer_id", b"t": "placed_ms", b"i": "item", b"st": "status"}
    record = {name: msgpack.unpackb(fields[field]) for field, name in names.items()}
    return JSONResponse({"order_number": order_number, **record, "amount": _amount(fields[b"a"])})


@app.get("/of_seller")
def of_seller(seller_id: str, limit: int = 20) -> JSONResponse:
    """A seller's latest orders."""
    prefix = seller_id.encode() + b"\0\1"
    with POOL.connection() as connection:
        scan = connection.table("orders_by_seller").scan(row_prefix=prefix, limit=limit, batch_size=limit)
        lines = [_line(seller_id, row.removeprefix(prefix), cells) for row, cells in scan]
    return JSONResponse({"records": lines})


def _line(seller_id: str, row: bytes, cells: Mapping[bytes, bytes]) -> dict[str, Any]:
    return {
        "seller_id": seller_id,
        "placed_ms": 2**63 - 1 - int.from_bytes(row[:8], "big"),
        "order_number": row[8:-2].decode(),
        "item": msgpack.unpackb(cells[b"o:i"]),
        "amount": _amount(cells[b"o:a"]),
        "status": msgpack.unpackb(cells[b"o:st"]),
    }


def _amount(packed: bytes) -> int:
    return int.from_bytes(msgpack.unpackb(packed), "big", signed=True)
