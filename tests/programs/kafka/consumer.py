"""Places the orders of a Kafka topic, each once: `python -m shop.service.consumer` in any number of processes.

A message is committed after its order is stored. If the process dies in between, the message comes again, and placing
the same order again changes nothing.
"""

import json
import logging
import os

from confluent_kafka import Consumer, KafkaException
from rowbook.service import json_refusal, read_arguments

from .process import repository, start
from .web import STATUSES

REFUSED = {**STATUSES, json.JSONDecodeError: 422, UnicodeDecodeError: 422}


def main() -> None:
    """Runs until it is killed. An error of the store ends it, too: a supervisor starts it at the last commit."""
    start()
    settings = {"bootstrap.servers": os.environ["KAFKA"], "group.id": "orders", "auto.offset.reset": "earliest"}
    consumer = Consumer(settings | {"enable.auto.commit": False})
    consumer.subscribe(["orders"])
    while True:
        message = consumer.poll(1.0)
        if message is None:
            continue
        if message.error():
            raise KafkaException(message.error())
        try:
            repository().place(**read_arguments(repository().place, json.loads(message.value())))
        except Exception as error:
            status, line = json_refusal(error, REFUSED)
            if status >= 500:  # of the store or the tables, not of the message: it comes again
                raise
            logging.error("%s: %s", message.key(), line)  # put it where a person looks
        consumer.commit(message, asynchronous=False)


if __name__ == "__main__":
    main()
