"""Drives a program of floats through pipes: control.py PROGRAM SCRIPT... Words of the script: a number is an item, whose result is printed; other words
are a line for the control FIFO ('_' is a blank, '^' no newline), 'close' and 'open' what they say of the FIFO. With 'socket' as the first word it is a Unix
socket, and what the program answers there is printed at the end."""
import os
import socket
import struct
import subprocess
import sys

words, connection = sys.argv[2:], None
if words[0] == "socket":
    listener = socket.socket(socket.AF_UNIX)
    listener.bind("control")
    listener.listen()
else:
    os.mkfifo("control")
program = subprocess.Popen([sys.argv[1], "--control=control"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
if words[0] == "socket":
    connection, words = listener.accept()[0], words[1:]
    control = connection.makefile("w", encoding="utf-8")
else:
    control = open("control", "w", encoding="utf-8")
for word in words:
    if word == "close":
        control.close()
    elif word == "open":
        control = open("control", "w", encoding="utf-8")
    elif word[0].isdigit():
        program.stdin.write(struct.pack("<f", float(word)))
        program.stdin.flush()
        print(struct.unpack("<f", program.stdout.read(4))[0])
    else:
        control.write(word.replace("_", " ").replace("^", "") + ("" if word[-1] == "^" else "\n"))
        control.flush()
program.stdin.close()
print("rest:", program.stdout.read(), "exit code:", program.wait())
if connection:
    print("answers:", connection.makefile("r", encoding="utf-8").read().rstrip())
sys.stdout.flush()
sys.stderr.buffer.write(program.stderr.read())
