"""A consumer of a real Kafka that is killed again and again: each message is one order, though many come twice."""

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from confluent_kafka import Producer

from domains.orders import OrderRepository
from domains.orders.keys import TABLES
from shared.command_line.new_package.folders import write_folder
from shared.command_line.new_package.making import made_files
from shared.stores import connect
from shared.tables import create_tables
from tests.programs.kafka import server
from tests.programs.service.killing import order

pytestmark = pytest.mark.long

MESSAGES, KILLS = 3_000, 8


def test_each_message_is_one_order_however_often_its_consumer_is_killed(tmp_path: Path, capsys) -> None:
    url = f"embedded:{tmp_path / 'store.db'}"
    files, _ = made_files("shop", "orders", service="flask")
    files["shop/service/consumer.py"] = server.CONSUMER.read_bytes()
    write_folder(tmp_path / "shop", files)
    with server.running() as kafka, closing(connect(url)) as connection:
        create_tables(connection, TABLES)
        repository = OrderRepository(connection)
        server.create_topic(kafka, "orders")
        producer = Producer({"bootstrap.servers": kafka})
        for number in range(MESSAGES):
            producer.produce("orders", json.dumps(order(number)), key=str(number))
            if number % 100 == 0:  # a producer that got no reply sends again
                producer.produce("orders", json.dumps(order(number)), key=str(number))
        producer.produce("orders", json.dumps({**order(7), "seller_id": "another"}), key="conflict")
        producer.produce("orders", b"{not JSON", key="broken")
        assert producer.flush(30) == 0
        environment = os.environ | {"KAFKA": kafka, "STORE_URL": url, "PYTHONPATH": str(tmp_path / "shop")}
        last, kills = f"n-{MESSAGES - 1:06d}", 0
        with (tmp_path / "log").open("wb") as log:
            for kills in itertools.count():
                process = subprocess.Popen(
                    [sys.executable, "-m", "shop.service.consumer"], env=environment, stdout=log, stderr=log
                )
                latest_s = time.monotonic() + (3 + kills / 10 if kills < KILLS else 60)
                while time.monotonic() < latest_s and repository.order(last) is None:
                    assert process.poll() is None, (tmp_path / "log").read_text(encoding="utf-8")[-2000:]
                    time.sleep(0.02)
                process.send_signal(signal.SIGKILL)
                process.wait()
                if repository.order(last) is not None:
                    break
        repository.upkeep.recover(0)
        assert [finding for finding in repository.upkeep.verify() if not finding.is_harmless] == []
        stored = [*repository.numbered("")]
        assert [of.order_number for of in stored] == [f"n-{number:06d}" for number in range(MESSAGES)]
        assert {of.seller_id for of in stored} == {f"s-{number}" for number in range(7)}
        with capsys.disabled():
            print(f"\n{MESSAGES} orders, {kills} kills")
