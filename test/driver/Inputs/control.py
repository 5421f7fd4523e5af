"""Drives a program of floats through pipes: control.py PROGRAM SCRIPT... Words of the script: a number is an item, whose result is printed; other words
are a line for the control FIFO ('_' is a blank, '^' no newline), 'close' and 'open' what they say of the FIFO."""
import os
import struct
import subprocess
import sys

os.mkfifo("control")
program = subprocess.Popen([sys.argv[1], "--control=control"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
control = open("control", "w", encoding="utf-8")
for word in sys.argv[2:]:
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
sys.stdout.flush()
sys.stderr.buffer.write(program.stderr.read())
