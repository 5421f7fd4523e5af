# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""WAV files for sound.test, and programs that end early."""
import os
import signal
import struct
import subprocess
import sys
import time
import wave


def make(path, channels, rate, frames):
    with wave.open(path, "wb") as w:
        w.setnchannels(int(channels))
        w.setsampwidth(2)
        w.setframerate(int(rate))
        w.writeframes(b"".join(struct.pack("<h", i % 30000) for i in range(int(frames) * int(channels))))


def show(*paths):
    for path in paths:
        with wave.open(path, "rb") as w:
            print("%s: %d x %d Hz, %d frames" % (path, w.getnchannels(), w.getframerate(), w.getnframes()))


def interrupt(program):
    """Ends the program while it waits for input, after it has written some."""
    for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
        with subprocess.Popen([program, "--out=early.wav"], stdin=subprocess.PIPE,
                              preexec_fn=lambda n=number: signal.signal(n, signal.SIG_DFL)) as p:
            p.stdin.write(bytes(400000))
            p.stdin.flush()
            while not os.path.exists("early.wav") or os.path.getsize("early.wav") < 10000:
                time.sleep(0.01)
            p.send_signal(number)
            status = p.wait()
        with wave.open("early.wav", "rb") as w:
            whole = w.getnframes() * 2 + 44 == os.path.getsize("early.wav")
        print("%s %s, and the file is %s" % (number.name, "ended it" if status == -number else "gave %d" % status,
                                             "whole" if whole else "not"))
        os.remove("early.wav")


def divide():
    with open("divisors.raw", "wb") as f:
        f.write(struct.pack("<4i", 1, 2, 3, 0))


def head(program):
    """Reads a little of a program's endless output."""
    for restore in [True, False]:
        with open("/dev/zero", "rb") as zeros, \
             subprocess.Popen([program], stdin=zeros, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              restore_signals=restore) as p:
            p.stdout.read(10)
            p.stdout.close()
            said = p.stderr.read().decode().strip()
            status = p.wait()
        print("%s, said '%s'" % ("ended by SIGPIPE" if status == -signal.SIGPIPE else "exit code %d" % status, said))


globals()[sys.argv[1]](*sys.argv[2:])
