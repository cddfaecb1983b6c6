#!/usr/bin/env python3
"""Two network interfaces of which one receives what the other sends, so many milliseconds later.

    delay_mpi.py FIRST SECOND MILLISECONDS

For kernels without `netem`. Each interface is a TUN device, to be moved into a namespace of its own and given an address
once a line on standard output says that both are there; packets pass through this process for as long as it runs.
"""

import fcntl
import os
import queue
import struct
import sys
import threading
import time

TUNSETIFF = 0x400454CA
IFF_TUN, IFF_NO_PI = 0x0001, 0x1000


def interface(name):
    """The file of a new TUN device."""
    file = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(file, TUNSETIFF, struct.pack("16sH", name.encode(), IFF_TUN | IFF_NO_PI))
    return file


def pass_on(source, target, delay):
    """Every packet of one to the other, each after its own delay and in order."""
    waiting = queue.SimpleQueue()

    def deliver():
        while True:
            due, packet = waiting.get()
            left = due - time.monotonic()
            if left > 0:
                time.sleep(left)
            os.write(target, packet)

    threading.Thread(target=deliver, daemon=True).start()
    while True:
        packet = os.read(source, 65536)
        waiting.put((time.monotonic() + delay, packet))


def main():
    first, second = interface(sys.argv[1]), interface(sys.argv[2])
    delay = float(sys.argv[3]) / 1e3
    print("ready", flush=True)
    # Interfaces that are not up yet cannot be read.
    sys.stdin.readline()
    threading.Thread(target=pass_on, args=(first, second, delay), daemon=True).start()
    pass_on(second, first, delay)


main()
