"""A hotel's bookings, the example of the page on reservations: what decides who gets a room, whatever crashes."""

from .hotel import TABLES, Booking, Hotel, Room, RoomTaken, Stay, StayOfGuest, UnknownRoom

__all__ = ["TABLES", "Booking", "Hotel", "Room", "RoomTaken", "Stay", "StayOfGuest", "UnknownRoom"]
