"""The records that the suite loads into `messages`."""

from pathlib import Path

from shared.designs import Load

from .formats import FORMATS
from .records import Message
from .repository import MessageRepository

SAMPLES = Path(__file__).parents[2] / "fixtures" / "messages" / "messages.jsonl"
LATEST_MS = 3 * 24 * 60 * 60 * 1000
"""The last three days of the samples, in milliseconds; messages sent in them show where new rows go."""

MESSAGES_LOAD = Load("messages", Message, MessageRepository.send, SAMPLES, FORMATS)
