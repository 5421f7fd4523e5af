# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gdb commands for programs that svmc has compiled with -O0 -g, which gdb loads with these where it may (docs/debugging.md); else
`gdb -x svm.py PROGRAM`. `help svm` lists them.

Who is an actor and which function fires for it is read from the emitted C, which -g keeps beside the program.
"""
import re

import gdb

FIRE = re.compile(r"^SVM_FIRE\(([^\n]*)\)\n(?:#line[^\n]*\n)*static inline void (\w+)\(([^{]*)\)\n", re.M)
BODY = re.compile(r"^static [^;{}]*?\b(\w+?)(_kernel)?\([^;{}]*\)\n\{\n(.*?)^\}", re.M | re.S)
ACTOR = re.compile(r"/\* (\w+), ([^*:]*:\d+)(?::[^*]*)? \*/")


class Function:
    """A firing function: what a firing takes and gives, and the lengths of its filter's array fields."""

    def __init__(self, rates, parameters):
        self.pop, self.peek, self.push = (int((re.search(r"\b%s\((\d+)\)" % r, rates) or [0, 0])[1]) for r in ("pop", "peek", "push"))
        self.lengths = {n: int(k) for n, k in re.findall(r"(\w+)\[restrict (\d+)\]", parameters)}


class Call:
    """The lines of a kernel on which an actor fires, and its firing functions."""

    def __init__(self, first, last, actor, place, prefix):
        self.lines, self.actor, self.place, self.prefix = range(first, last + 1), actor, place, prefix


class Program:
    def __init__(self):
        main = gdb.lookup_global_symbol("main")
        if main is None or not main.symtab.filename.endswith(".svm.c"):
            raise gdb.GdbError("this is no program that svmc has compiled with -g")
        try:
            with open(main.symtab.fullname(), encoding="utf-8") as f:
                text = f.read()
        except OSError as error:
            raise gdb.GdbError("the emitted C is needed: %s" % error) from error
        if not re.match(r"/\*[^*]*-O0 ", text):
            raise gdb.GdbError("firings are functions of their own in programs compiled with -O0 -g only")
        self.functions = {m[2]: Function(m[1], m[3]) for m in FIRE.finditer(text)}
        self.calls, self.others = [], {}
        for body in BODY.finditer(text):
            if body[1] not in self.functions and re.sub("_strip$", "_fire", body[1]) not in self.functions:
                self.read_body(body[1], body[3], text.count("\n", 0, body.start(3)) + 1)

    def read_body(self, name, body, line):
        """Statements with a comment on the same line or before them that says whose they are; without one it is the kernel's actor."""
        before = (name, "")
        for statement in re.finditer(r"[^;{}]*(?:[;{}]|\Z)[^\n]*", body):
            comments = ACTOR.findall(statement[0])
            before = comments[-1] if comments else before
            if comments:
                self.others.setdefault(*before)
            call = re.search(r"\b(\w+)_(?:strip|prework|fire)\(", statement[0])
            if call and call[1] + "_fire" in self.functions:
                first = line + body.count("\n", 0, statement.start() + call.start())
                last = line + body.count("\n", 0, statement.end())
                self.calls.append(Call(first, last, *before, call[1]))

    def calls_of(self, actor):
        return [c for c in self.calls if c.actor == actor]

    def call_at(self, frame):
        """Whose firing a frame is in; None: nobody's."""
        while frame is not None:
            sal = frame.find_sal()
            if sal.symtab is not None and sal.symtab.filename.endswith(".svm.c"):
                for call in self.calls:
                    if sal.line in call.lines:
                        return call
            frame = frame.older()
        return None


class Stop(gdb.Breakpoint):
    """Counts an actor's firings; its filter may have other instances, whose firings go on."""

    def __init__(self, program, function, actor, count, internal=False):
        super().__init__(function=function, internal=internal)
        self.program, self.actor, self.count = program, actor, count

    def stop(self):
        call = self.program.call_at(gdb.newest_frame())
        if call is None or call.actor != self.actor:
            return False
        self.count[0] -= 1
        return self.count[0] == 0


def stops(program, call, count, internal=False):
    """Breakpoints that together stop before an actor's firing of that number from now on."""
    left, functions = [count], (call.prefix + "_prework", call.prefix + "_fire")
    return [Stop(program, f, call.actor, left, internal) for f in functions if f in program.functions]


def here():
    try:
        return Program(), gdb.selected_frame()
    except gdb.error as error:
        raise gdb.GdbError("the program does not run; 'svm break ACTOR' and 'run' stop in a firing") from error


class Svm(gdb.Command):
    """Actors of a program that svmc has compiled with -O0 -g."""

    def __init__(self):
        super().__init__("svm", gdb.COMMAND_DATA, prefix=True)


class Actors(gdb.Command):
    """svm actors: list the actors, where each is added, and the function that fires for it."""

    def __init__(self):
        super().__init__("svm actors", gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        program, shown = Program(), set()
        for call in program.calls:
            if call.actor not in shown:
                print("%s%s: %s_fire" % (call.actor, call.place and ", " + call.place, call.prefix))
            shown.add(call.actor)
        for actor, place in program.others.items():
            if actor not in shown:
                print("%s, %s: no function fires" % (actor, place))


class Break(gdb.Command):
    """svm break ACTOR [N]: stop before the actor's N-th firing from now on; the first unless told."""

    def __init__(self):
        super().__init__("svm break", gdb.COMMAND_BREAKPOINTS)

    def complete(self, text, word):
        return [c.actor for c in Program().calls if c.actor.startswith(word)]

    def invoke(self, argument, from_tty):
        words, program = argument.split(), Program()
        if not 1 <= len(words) <= 2 or (len(words) == 2 and not re.fullmatch(r"[1-9]\d*", words[1])):
            raise gdb.GdbError("expected an actor and the number of a firing, from 1: svm break ACTOR [N]")
        calls = program.calls_of(words[0])
        if not calls:
            copies = words[0] in program.others
            raise gdb.GdbError("no function fires for '%s', which moves items; stop in a neighbour" % words[0] if copies else
                               "no actor is named '%s'; 'svm actors' lists them" % words[0])
        stops(program, calls[0], int(words[1]) if len(words) == 2 else 1)


class Next(gdb.Command):
    """svm next: go on to the next firing of the actor whose firing this frame is in."""

    def __init__(self):
        super().__init__("svm next", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        program, frame = here()
        call = program.call_at(frame)
        if call is None:
            raise gdb.GdbError("this frame is not in a firing; 'svm break ACTOR' stops in one")
        until = stops(program, call, 1, internal=True)
        gdb.execute("continue", from_tty)
        for stop in until:
            if stop.is_valid():
                stop.delete()


def text_of(value):
    return value.format_string(max_elements=0, repeat_threshold=0)


def array_at(pointer, first, count):
    return (pointer + first).cast(pointer.type.target().unqualified().array(count - 1).pointer()).dereference()


def show_items(what, pointer, first, count):
    items = ": " + text_of(array_at(pointer, first, count))[1:-1] if count > 0 else ""
    print("  %s: %d item%s%s" % (what, count, "" if count == 1 else "s", items))


class Look(gdb.Command):
    """svm look: at the beginning of a firing, print the actor's fields, the items on its input that are for the rest of this
strip, and what it has pushed in it. A compiled program fires an actor a strip at a time; where more items wait, later strips take them."""

    def __init__(self):
        super().__init__("svm look", gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        program, frame = here()
        call, function = program.call_at(frame), program.functions.get(frame.name())
        if call is None or function is None:
            raise gdb.GdbError("this frame is not in a firing; 'svm break ACTOR' stops in one")
        print(call.actor)
        values = {s.name: s.value(frame) for s in frame.function().symtab and frame.block() if s.is_argument}
        for name, value in values.items():
            if name.startswith("svm_at_"):
                print("  %s = %s" % (name[len("svm_at_"):], text_of(value.dereference())))
            elif name in function.lengths:
                print("  %s = %s" % (name, text_of(array_at(value, 0, function.lengths[name]))))
        if "flow" in values:
            print("  its rates are dynamic: items wait within the run time")
            return
        strip = frame.older()
        left = done = None
        if (strip.name() or "").endswith("_strip"):
            done = int(strip.read_var("i"))
            left = int(strip.read_var("count")) - done
        if "in" in values and function.pop + function.peek > 0:
            show_items("input, for the rest of this strip", values["in"], 0, (left or 1) * function.pop + max(function.peek - function.pop, 0))
        if "out" in values and done is not None:
            show_items("output of this strip so far", values["out"], -done * function.push, done * function.push)


class Items(gdb.Function):
    """$items(NAME): an array field or array local of the actor whose firing the selected frame is in, as an array: print $items("taps")[3]."""

    def __init__(self):
        super().__init__("items")

    def invoke(self, name):
        program, frame = here()
        function = program.functions.get(frame.name())
        value = frame.read_var(name.string())
        if value.type.code == gdb.TYPE_CODE_PTR and function is not None and name.string() in function.lengths:
            return array_at(value, 0, function.lengths[name.string()])
        constant = gdb.lookup_static_symbol("%s_%s" % (re.sub("_(fire|prework)$", "", frame.name()), name.string()))
        return value if constant is None or value.type.code != gdb.TYPE_CODE_PTR else constant.value()


Svm()
Actors()
Break()
Next()
Look()
Items()
