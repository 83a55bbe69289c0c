"""What a store needs beside a service: tables created and adopted, writes recovered, rows repaired, a store served.

May import `screen` and `named` of the command line.
"""
