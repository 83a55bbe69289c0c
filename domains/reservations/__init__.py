"""A hotel's bookings, the example of the page on reservations: what decides who gets a room, whatever crashes."""

from .hotel import TABLES, Hotel, Room, RoomTaken, Stay, StayOfGuest, UnknownRoom

__all__ = ["TABLES", "Hotel", "Room", "RoomTaken", "Stay", "StayOfGuest", "UnknownRoom"]
