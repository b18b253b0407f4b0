"""Loaded before a program: refuses connections to other machines."""

import socket

connect = socket.socket.connect


def connect_here(self, address):
    if isinstance(address, tuple) and address[0] not in ("127.0.0.1", "::1", "localhost"):
        raise ConnectionRefusedError(f"The program connects to {address[0]}.")
    return connect(self, address)


socket.socket.connect = connect_here
