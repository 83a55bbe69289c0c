"""How a call may end in any store: with an error that says what is known, or at its deadline.

May import no other room.
"""
