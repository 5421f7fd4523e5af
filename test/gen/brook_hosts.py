# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random Brook host programs: brook.py --kind=hosts.

Streams of one to four dimensions go through a chain of calls: kernels whose inputs are strided or repeated, views of both
sides, iterators, kernels within kernels, elements of all types and structs, reductions to values and to streams, 'vout',
handles that are swapped. What streams hold is computed here as well, and printed and compared after each call."""

import math
import random

from brook import FUNCTIONS, LETTERS, NUMBERS, Body, Wild, f32, f32_or_wild, type_name


def wrap(x, bits, signed):
    x &= (1 << bits) - 1
    return x - (1 << bits) if signed and x >> (bits - 1) else x


def fixed_of(most, rounded):
    def store(x):
        x = min(max(x, 0.0), 1.0)
        return int(f32(f32(x * most) + 0.5)) if rounded else int(f32(x * most))
    return store


# Type of an element: its width, C type of a component in host memory, what it is in a kernel, how it is stored, the range that
# is written, how host memory is filled.
class Element:
    def __init__(self, name, width, host, load=float, store=None, least=None, most=None, fill=None, show='%d'):
        self.name, self.width, self.host, self.load, self.store = name, width, host, load, store
        self.least, self.most, self.fill, self.show = least, most, fill, show


def small_elements():
    out = []
    for n in range(1, 5):
        tail = '' if n == 1 else str(n)
        out.append(Element('char' + tail, n, 'signed char', store=lambda x: wrap(int(x), 8, True), least=-120, most=120,
                           fill=lambda r: r.randint(-128, 127)))
        out.append(Element('uchar' + tail, n, 'unsigned char', store=lambda x: wrap(int(x), 8, False), least=0, most=250,
                           fill=lambda r: r.randint(0, 255)))
        out.append(Element('fixed' + tail, n, 'unsigned char', load=lambda v: f32(v / 255), store=fixed_of(255, False),
                           least=-1, most=2, fill=lambda r: r.randint(0, 255)))
        out.append(Element('shortfixed' + tail, n, 'unsigned short', load=lambda v: f32(v / 65535),
                           store=fixed_of(65535, True), least=-1, most=2, fill=lambda r: r.randint(0, 65535)))
    out.append(Element('int', 1, 'int', store=int, least=-9000, most=9000, fill=lambda r: r.randint(-99, 99)))
    out.append(Element('unsigned int', 1, 'unsigned', store=int, least=0, most=9000, fill=lambda r: r.randint(0, 99)))
    return out


def number(r):
    return f32(r.choice(NUMBERS) if r.random() < 0.4 else round(r.uniform(-4, 9), 3))


FLOATS = [Element(type_name(n), n, 'float', load=lambda v: v, store=lambda x: x, fill=number, show='%.9g')
          for n in range(1, 5)]
DOUBLES = [Element('double' if n == 1 else 'double2', n, 'double', load=lambda v: v, store=lambda x: x, fill=number,
                   show='%.9g') for n in (1, 2)]
SMALL = small_elements()


class Stream:
    def __init__(self, name, element, extents, data):
        self.name, self.element, self.extents, self.data = name, element, tuple(extents), data

    def copy(self):
        return [None if v is None else list(v) for v in self.data]


class View:
    """A box of a stream: text, extents, and where its elements are in the stream's."""

    def __init__(self, stream, lo=None, hi=None):
        self.stream = stream
        n = stream.extents
        self.lo, self.hi = lo or (0,) * len(n), hi or n
        self.extents = tuple(b - a for a, b in zip(self.lo, self.hi))

    def text(self):
        s = self.stream
        if self.extents == s.extents:
            return s.name
        bounds = []
        for b in (self.lo, self.hi):
            numbers = ', '.join(str(x) for x in reversed(b))
            bounds.append(numbers if len(b) == 1 else f'int{len(b)}({numbers})')
        return f'{s.name}.domain({bounds[0]}, {bounds[1]})'

    def at(self, place):
        i = 0
        for p, a, n in zip(place, self.lo, self.stream.extents):
            i = i * n + a + p
        return i

    def resized(self, place, space):
        return tuple(p * m // n for p, m, n in zip(place, self.extents, space))


def places(extents):
    if not extents:
        yield ()
        return
    for i in range(extents[0]):
        for rest in places(extents[1:]):
            yield (i,) + rest


def padded(place):
    return (list(reversed(place)) + [0, 0, 0, 0])[:4]


class HostProgram:
    def __init__(self, seed, kernels):
        self.r = random.Random(seed ^ 0x5eed)
        self.text, self.tables, self.main, self.declarations, self.expected, self.streams = [], [], [], [], [], []
        self.made = 0
        rank = self.r.choice((1, 1, 2, 2, 2, 3, 4))
        self.space = tuple(self.r.choice((1, 2, 3, 4, 6, 8) if rank > 2 else (2, 4, 6, 12, 33) if rank == 2 else (1, 7, 36, 70))
                           for _ in range(rank))
        for _ in range(3):
            self.new_stream(self.r.choice(FLOATS), self.near_extents(), True)
        for _ in range(kernels):
            self.r.choice((self.map, self.map, self.map, self.small, self.structs, self.reduce, self.partial, self.pushes,
                           self.nested, self.swap, self.doubles, self.chain))()
        if self.r.random() < 0.6:
            self.turn()

    def name(self, kind):
        self.made += 1
        return f'{kind}{self.made}'

    def near_extents(self):
        """Extents of which those of the space are multiples, or the reverse."""
        r = self.r
        out = []
        for n in self.space:
            k = r.choice((1, 1, 1, 2, 3))
            out.append(n // k if n % k == 0 and r.random() < 0.5 else n * k)
        return tuple(out)

    def new_stream(self, element, extents, filled):
        name = self.name('s')
        count = math.prod(extents)
        data = [[element.fill(self.r) for _ in range(element.width)] for _ in range(count)]
        s = Stream(name, element, extents, data)
        self.declarations.append(f'{element.name} {name}<{", ".join(map(str, extents))}>;')
        numbers = ', '.join(repr(x) for v in data for x in v)
        self.tables.append(f'static {element.host} {name}_data[] = {{{numbers}}};')
        self.main.append(f'    streamRead({name}, {name}_data);')
        if filled:
            self.streams.append(s)
        return s

    def show(self, s):
        what = self.name('line')
        total = math.prod(s.extents) * s.element.width
        self.main.append(f'    {{ static {s.element.host} out[{max(total, 1)}]; int i; streamWrite({s.name}, out); '
                         f'printf("{what}"); for (i = 0; i < {total}; i++) printf(" {s.element.show}", out[i]); '
                         'printf("\\n"); }')
        self.expected.append((what, [x for v in s.data for x in (v if v is not None else [None] * s.element.width)]))

    # ---- Inputs of a map ----

    def input_of(self, s, space):
        """A view that fits the space, whole or a box; or None."""
        r = self.r
        if len(s.extents) != len(space):
            return None
        fits = lambda m, n: m % n == 0 or n % m == 0
        if r.random() < 0.4:
            lo, hi = [], []
            for m, n in zip(s.extents, space):
                sizes = [k for k in range(1, m + 1) if fits(k, n)]
                k = r.choice(sizes)
                a = r.randint(0, m - k)
                lo.append(a)
                hi.append(a + k)
            return View(s, tuple(lo), tuple(hi))
        return View(s) if all(fits(m, n) for m, n in zip(s.extents, space)) else None

    def inputs(self, space, most):
        r = self.r
        out = []
        for _ in range(12):
            v = self.input_of(r.choice(self.streams), space)
            if v is not None and len(out) < most:
                out.append(v)
        return out[:r.randint(1, most)] or [View(self.new_stream(r.choice(FLOATS), space, True))]

    def gather(self):
        r = self.r
        kept = [s for s in self.streams if s.element.width == 1 and s.element in FLOATS and all(v is not None for v in s.data)
                and math.prod(s.extents) > 0]
        if not kept:
            kept = [self.new_stream(FLOATS[0], self.near_extents(), True)]
        return r.choice(kept)

    def output(self, element, space):
        """A new stream, or a box of a larger one, with what it holds before."""
        r = self.r
        if r.random() < 0.3:
            more = [r.randint(0, 3) for _ in space]
            s = self.new_stream(element, tuple(n + m for n, m in zip(space, more)), False)
            lo = tuple(r.randint(0, m) for m in more)
            return View(s, lo, tuple(a + n for a, n in zip(lo, space)))
        return View(self.new_stream(element, space, False))

    # ---- Calls ----

    def map(self, chosen=None):
        r = self.r
        space = self.space
        views = self.inputs(space, 3)
        element = chosen or r.choice(FLOATS)
        target = self.output(element, space)
        iterates = len(space) <= 2 and r.random() < 0.5
        gathered = self.gather()
        params, args, names = [], [], {}
        for i, v in enumerate(views):
            names[f'a{i}'] = v.stream.element.width
            params.append(f'{v.stream.element.name} a{i}<>')
            args.append(v.text())
        if iterates:
            names['it'] = len(space)
            bounds = [[f32(r.randint(-3, 3)) for _ in space], [f32(r.randint(-4, 9)) for _ in space]]
            it = self.name('it')
            constructor = type_name(len(space)) if len(space) > 1 else ''
            texts = [f'{constructor}({", ".join(repr(x) + "f" for x in b)})' for b in bounds]
            self.declarations.append(f'iter {type_name(len(space))} {it}<{", ".join(map(str, space))}> = '
                                     f'iter({texts[0]}, {texts[1]});')
            params.append(f'iter {type_name(len(space))} it<>')
            args.append(it)
        names['k'] = 2
        constant = [number(r), number(r)]
        params += ['float2 k', 'float g' + '[]' * len(gathered.extents)]
        args += [f'float2({constant[0]!r}f, {constant[1]!r}f)', gathered.name]
        place = r.choice(['o'] + [f'a{i}' for i in range(len(views))])
        body = Body(r, names, set(names), (('g', gathered.extents),), (), place)
        start = body.expr(3, element.width)
        body.names['v'] = element.width
        lines, run = body.statements(r.randint(0, 3), 2, '    ')
        last = body.expr(2, element.width)
        kernel = self.name('map')
        text = [f'kernel void {kernel}({", ".join(params)}, out {element.name} o<>) {{']
        if element.store is None or element in FLOATS:
            tail = ['    o = v;']
        else:
            tail = [f'    o = clamp(v, {self.constant(element.least, element.width)}, '
                    f'{self.constant(element.most, element.width)});']
        # Constants of a vector are components in the body.
        self.text += text + [f'    {type_name(element.width)} v = {start[0]};'] + lines + [f'    v += {last[0]};'] + tail + ['}']
        g = [v[0] for v in gathered.data]
        before = [v.stream.copy() for v in views]
        for p in places(space):
            e = {'k': list(constant), 'g': g}
            try:
                for i, (v, data) in enumerate(zip(views, before)):
                    value = data[v.at(v.resized(p, space))]
                    if value is None:
                        raise Wild
                    e[f'a{i}'] = [v.stream.element.load(x) for x in value]
                if iterates:
                    e['it'] = [f32(bounds[0][c] + f32(f32(q * f32(bounds[1][c] - bounds[0][c])) / n))
                               for c, (q, n) in enumerate(zip(reversed(p), reversed(space)))]
                where = p if place == 'o' else views[int(place[1])].resized(p, space)
                e['indexof'] = padded(where)
                e['v'] = start[1](e)
                run(e)
                v = [f32(a + b) for a, b in zip(e['v'], self.wide(last[1](e), element.width))]
                if element.least is not None:
                    v = [min(max(x, element.least), element.most) for x in v]
                target.stream.data[target.at(p)] = [element.store(x) for x in v]
            except Wild:
                target.stream.data[target.at(p)] = None
        self.main.append(f'    {kernel}({", ".join(args)}, {target.text()});')
        self.show(target.stream)
        self.streams.append(target.stream)

    @staticmethod
    def wide(v, width):
        return v * width if len(v) == 1 else v

    @staticmethod
    def constant(x, width):
        text = f'({x})' if x < 0 else str(x)
        return text if width == 1 else f'{type_name(width)}({", ".join([text] * width)})'

    def small(self):
        """To elements of a small type, and from them."""
        self.map(self.r.choice(SMALL))
        s = self.streams[-1]
        v = self.r.choice(FLOATS)
        target = Stream(self.name('s'), FLOATS[s.element.width - 1], s.extents, [])
        kernel = self.name('widen')
        self.text += [f'kernel void {kernel}({s.element.name} a<>, out {target.element.name} o<>) {{ o = a; o = o * 2 + 1; }}']
        self.declarations.append(f'{target.element.name} {target.name}<{", ".join(map(str, s.extents))}>;')
        self.main.append(f'    {kernel}({s.name}, {target.name});')
        target.data = [None if v is None else [f32(f32(s.element.load(x) * 2) + 1) for x in v] for v in s.data]
        self.show(target)
        self.streams.remove(s)
        self.streams.append(target)

    def doubles(self):
        r = self.r
        e = r.choice(DOUBLES)
        s, t = self.new_stream(e, self.space, False), self.new_stream(e, self.space, False)
        kernel = self.name('twice')
        turned = '.yx' if e.width == 2 else ''
        self.text.append(f'kernel void {kernel}({e.name} a<>, out {e.name} o<>) {{ {e.name} t = a * a{turned} - a; o = t / (a * a + 1); }}')
        self.main.append(f'    {kernel}({s.name}, {t.name});')
        t.data = []
        for v in s.data:
            w = v[::-1]
            t.data.append([(x * y - x) / (x * x + 1) for x, y in zip(v, w)])
        what = self.name('line')
        total = len(t.data) * e.width
        self.main.append(f'    {{ double out[{total}]; int i; streamWrite({t.name}, out); printf("{what}"); '
                         f'for (i = 0; i < {total}; i++) printf(" %.17g", out[i]); printf("\\n"); }}')
        self.expected.append((what, [('double', x) for v in t.data for x in v]))

    def structs(self):
        r = self.r
        members = [(f'm{c}', r.randint(1, 4)) for c in 'abc'[:r.randint(1, 3)]]
        tag, write, read = self.name('tag'), self.name('pack'), self.name('unpack')
        kept = self.inputs(self.space, 2)
        self.text.append(f'typedef struct {tag} {{ {" ".join(f"{type_name(w)} {n};" for n, w in members)} }} {tag}_t;')
        names = {f'a{i}': v.stream.element.width for i, v in enumerate(kept)}
        params = ', '.join(f'{v.stream.element.name} a{i}<>' for i, v in enumerate(kept))
        body = Body(r, names, set(names), (), (), None)
        values = [body.expr(2, w) for _, w in members]
        s, out = self.name('s'), self.new_stream(r.choice(FLOATS), self.space, False)
        back = {f'p.{n}': w for n, w in members}
        after = Body(r, back, set(back), (), (), None)
        result = after.expr(3, out.element.width)
        self.text.append(f'kernel void {write}({params}, out {tag}_t p<>) {{ ' +
                         ' '.join(f'p.{n} = {v[0]};' for (n, _), v in zip(members, values)) + ' }')
        self.text.append(f'kernel void {read}({tag}_t p<>, out {out.element.name} o<>) {{ o = {result[0]}; }}')
        self.declarations.append(f'{tag}_t {s}<{", ".join(map(str, self.space))}>;')
        self.main.append(f'    {write}({", ".join(v.text() for v in kept)}, {s});')
        self.main.append(f'    {read}({s}, {out.name});')
        for i, p in enumerate(places(self.space)):
            try:
                e = {}
                for k, v in enumerate(kept):
                    value = v.stream.data[v.at(v.resized(p, self.space))]
                    if value is None:
                        raise Wild
                    e[f'a{k}'] = [v.stream.element.load(x) for x in value]
                f = {f'p.{n}': self.wide(v[1](e), w) for (n, w), v in zip(members, values)}
                out.data[i] = self.wide(result[1](f), out.element.width)
            except Wild:
                out.data[i] = None
        self.show(out)
        self.streams.append(out)

    def reducer(self, element):
        """A reduce function, and what it does to the value before and an element."""
        r = self.r
        name = self.name('fold')
        w = element.width
        body = Body(r, {'v': w, 'r': w}, {'v', 'r'}, (), (), None)
        value = body.expr(2, w)
        least, most = self.constant(-9, w), self.constant(9, w)
        params = [f'{element.name} v<>', f'reduce {element.name} r<>']
        r.shuffle(params)
        self.text.append(f'reduce void {name}({", ".join(params)}) {{ r = clamp({value[0]}, {least}, {most}); }}')

        def fold(values):
            if any(v is None for v in values):
                raise Wild
            e = {'r': list(values[0])}
            for v in values[1:]:
                e['v'] = v
                e['r'] = [min(max(x, -9.0), 9.0) for x in self.wide(value[1](e), w)]
            return e['r']

        return name, fold, params[0].startswith('reduce')

    def floats(self):
        kept = [s for s in self.streams if s.element in FLOATS and math.prod(s.extents) > 0]
        return self.r.choice(kept) if kept else self.new_stream(self.r.choice(FLOATS), self.space, True)

    def reduce(self):
        s = self.floats()
        view = self.input_of(s, s.extents) or View(s)
        name, fold, first = self.reducer(s.element)
        what, x = self.name('line'), self.name('x')
        self.declarations.append(f'{s.element.name} {x};')
        parts = [f'{x}.{c}' for c in LETTERS[:s.element.width]] if s.element.width > 1 else [x]
        args = [x, view.text()] if first else [view.text(), x]
        self.main.append(f'    {name}({", ".join(args)}); printf("{what}{" %.9g" * len(parts)}\\n", {", ".join(parts)});')
        try:
            value = fold([s.data[view.at(p)] for p in places(view.extents)])
        except Wild:
            value = [None] * s.element.width
        self.expected.append((what, value))

    def partial(self):
        r, s = self.r, self.floats()
        name, fold, first = self.reducer(s.element)
        to = tuple(r.choice([k for k in range(1, n + 1) if n % k == 0]) for n in s.extents)
        t = self.new_stream(s.element, to, False)
        size = [n // m for n, m in zip(s.extents, to)]
        view = View(s)
        for i, p in enumerate(places(to)):
            try:
                block = [s.data[view.at(tuple(a * n + b for a, b, n in zip(p, q, size)))] for q in places(size)]
                t.data[i] = fold(block)
            except Wild:
                t.data[i] = None
        args = [t.name, s.name] if first else [s.name, t.name]
        self.main.append(f'    {name}({", ".join(args)});')
        self.show(t)
        self.streams.append(t)

    def pushes(self):
        """A 'vout' of one dimension, whose result goes on."""
        r = self.r
        known = [s for s in self.streams if s.element in FLOATS and len(s.extents) == 1 and all(v is not None for v in s.data)]
        s = r.choice(known) if known else self.new_stream(r.choice(FLOATS), (r.choice((1, 5, 40)),), False)
        w = s.element.width
        element = r.choice(FLOATS)
        gathered = self.gather()
        body = Body(r, {'a': w}, {'a'}, (('g', gathered.extents),), (), 'a')
        value, test, most = body.expr(2, element.width), body.condition(), r.randint(1, 3)
        kernel, t = self.name('push'), self.name('s')
        self.text += [f'kernel void {kernel}({s.element.name} a<>, float g{"[]" * len(gathered.extents)}, vout[] {element.name} o<>) {{',
                      '    float n;', f'    for (n = 0; n < {most}; n += 1) {{', f'        o = {value[0]} + n;',
                      f'        if ({test[0]}) push(o);', '    }', '}']
        data, g = [], [v[0] for v in gathered.data]
        try:
            for i, v in enumerate(s.data):
                e = {'a': v, 'g': g, 'indexof': [i, 0, 0, 0]}
                for n in range(most):
                    x = [f32(y + n) for y in self.wide(value[1](e), element.width)]
                    if test[1](e):
                        data.append(x)
        except Wild:
            return  # how many there are is not known: the kernel is not called
        self.declarations.append(f'{element.name} {t}<1>;')
        what = self.name('line')
        self.main.append(f'    {kernel}({s.name}, {gathered.name}, {t}); printf("{what} %g\\n", streamSize({t}).x);')
        self.expected.append((what, [float(len(data))]))
        result = Stream(t, element, (len(data),), data)
        if data:
            self.show(result)
            if len(self.space) == 1:
                self.streams.append(result)

    def turn(self):
        """Gathers down the columns of a stream, all of them or those that something leads to, near its edges too."""
        r, width = self.r, self.r.choice((1, 1, 2, 2, 3))
        rows, columns = r.choice((1, 7, 16, 17, 24)), r.choice((5, 8, 30, 65, 70))
        element, given = FLOATS[width - 1], FLOATS[r.choice((0, width - 1))]
        extents = (max(columns + r.choice((0, 0, 0, -3, 5)), 1), max(rows + r.choice((0, 0, 0, -2, 9)), 1))
        g, a = self.new_stream(element, extents, False), self.new_stream(given, (rows, columns), False)
        out = [self.new_stream(element, (rows, columns), False) for _ in range(r.randint(1, 2))]
        k, place = r.choice((0.0, 1.0, -2.0, 2.5, float(rows))), r.choice(('o0', 'a'))
        ways = [('p.y', lambda y: y), ('p.y + k', lambda y: y + k), ('k - p.y', lambda y: k - y), ('p.y * 2', lambda y: y * 2),
                ('floor(p.y / 4) * 4 + k', lambda y: math.floor(y / 4) * 4 + k), ('a.x', None)]
        found = []
        for _ in range(r.randint(1, 3)):
            way, down = r.choices(ways, (6, 4, 2, 2, 2, 1))[0], r.choice((0, 0, 0, 0, 1, -2))
            found.append((way, down, f'g[float2({way[0]}, p.x + ({down}))]'))
        below, kernel = r.choice((None, None, 2.0)), self.name('turn')
        self.text += [f'kernel void {kernel}(float k, {element.name} g[][], {given.name} a<>, '
                      f'{", ".join(f"out {element.name} o{i}<>" for i in range(len(out)))}) {{',
                      f'    float2 p = indexof({place}).xy;', f'    {element.name} v = {self.constant(1.5, width)};']
        self.text += [f'    {"" if below is None else f"if (a.x < {below}) "}v = v * 0.5 + {f[2]};' for f in found]
        self.text += [f'    o{i} = {"v" if i == 0 else "v - " + found[0][2]};' for i in range(len(out))] + ['}']
        self.main.append(f'    {kernel}({k!r}f, {g.name}, {a.name}, {", ".join(o.name for o in out)});')
        clamped = lambda x, n: min(max(math.floor(f32(x + 0.25)), 0), n - 1)
        for i, (y, x) in enumerate(places((rows, columns))):
            at = [clamped(x + down, extents[0]) * extents[1] + clamped(a.data[i][0] if way[1] is None else way[1](y), extents[1])
                  for way, down, _ in found]
            v = [1.5] * width
            for j in at:
                if below is None or a.data[i][0] < below:
                    v = [f32(f32(c * 0.5) + d) for c, d in zip(v, g.data[j])]
            for o, values in zip(out, (v, [f32(c - d) for c, d in zip(v, g.data[at[0]])])):
                o.data[i] = values
        for o in out:
            self.show(o)

    def nested(self):
        """A kernel with outputs that another calls with its own variables, some of them in and out at once."""
        r = self.r
        w, u = r.randint(1, 4), r.randint(1, 4)
        inner, outer = self.name('inner'), self.name('outer')
        body = Body(r, {'x': w, 'y': u}, {'x', 'y'}, (), (), None)
        first, second = body.expr(2, w), body.expr(2, u)
        view = View(self.new_stream(FLOATS[w - 1], self.space, True))
        out = self.new_stream(FLOATS[u - 1], self.space, False)
        self.text += [f'kernel void {inner}({type_name(w)} x<>, {type_name(u)} y<>, out {type_name(w)} p<>, out {type_name(u)} q<>) {{',
                      f'    p = {first[0]};', f'    q = {second[0]};', '}',
                      f'kernel void {outer}({type_name(w)} a<>, out {type_name(u)} o<>) {{',
                      f'    {type_name(w)} s = a;', f'    {type_name(u)} t = {self.constant(0.5, u)};', '    float i;',
                      f'    for (i = 0; i < 2; i += 1) {inner}(s, t, s, t);', f'    {inner}(a, t, s, o);', '}']
        self.main.append(f'    {outer}({view.text()}, {out.name});')
        for i, p in enumerate(places(self.space)):
            try:
                a = view.stream.data[i]
                s, t = list(a), [0.5] * u
                for _ in range(2):
                    e = {'x': s, 'y': t}
                    s, t = self.wide(first[1](e), w), self.wide(second[1](e), u)
                out.data[i] = self.wide(second[1]({'x': a, 'y': t}), u)
            except Wild:
                out.data[i] = None
        self.show(out)
        self.streams.append(out)

    def swap(self):
        kept = [s for s in self.streams if s.element in FLOATS]
        if len(kept) < 2:
            return
        a = self.r.choice(kept)
        b = self.r.choice([s for s in kept if s.element is a.element])
        self.main.append(f'    streamSwap({a.name}, {b.name});')
        if a is not b:
            a.extents, b.extents = b.extents, a.extents
            a.data, b.data = b.data, a.data
        self.show(a)

    def chain(self):
        """Calls that can become one kernel: a function's own streams, element by element; some inputs are repeated."""
        r = self.r
        source = self.new_stream(r.choice(FLOATS), self.space, False)
        other = self.inputs(self.space, 1)[0]
        w, data, before = source.element.width, source.copy(), source.name
        function, lines, streams = self.name('chain'), [], []
        for i in range(r.randint(2, 4)):
            u = r.randint(1, 4)
            kernel, to = self.name('link'), f't{i}'
            names = {'a': w, 'b': other.stream.element.width}
            body = Body(r, names, set(names), (), (), r.choice(('a', 'b', 'o')))
            value = body.expr(3, u)
            self.text.append(f'kernel void {kernel}({type_name(w)} a<>, {other.stream.element.name} b<>, out {type_name(u)} o<>) '
                             f'{{ o = {value[0]}; }}')
            streams.append(f'{type_name(u)} {to}<{", ".join(map(str, self.space))}>;')
            b = 'b' if other.extents == other.stream.extents else other.text().replace(other.stream.name, 'b', 1)
            lines.append(f'    {kernel}({"a" if i == 0 else before}, {b}, {to});')
            made = []
            for k, p in enumerate(places(self.space)):
                try:
                    at = other.resized(p, self.space)
                    there = other.stream.data[other.at(at)]
                    if data[k] is None or there is None:
                        raise Wild
                    e = {'a': data[k], 'b': [other.stream.element.load(x) for x in there],
                         'indexof': padded(at if body.place == 'b' else p)}
                    made.append(self.wide(value[1](e), u))
                except Wild:
                    made.append(None)
            data, w, before = made, u, to
        what, total = self.name('line'), math.prod(self.space) * w
        self.text += [f'void {function}({source.element.name} a<>, {other.stream.element.name} b<>) {{', '    ' + ' '.join(streams),
                      f'    static float out[{max(total, 1)}]; int i;'] + lines
        self.text += [f'    streamWrite({before}, out); printf("{what}"); for (i = 0; i < {total}; i++) printf(" %.9g", out[i]);',
                      '    printf("\\n");', '}']
        self.main.append(f'    {function}({source.name}, {other.stream.name});')
        self.expected.append((what, [x for v in data for x in (v if v is not None else [None] * w)]))

    # ---- The program ----

    def source(self):
        return '\n'.join(['#include <stdio.h>'] + self.text + self.tables + ['int main(void)', '{'] +
                         ['    ' + d for d in self.declarations] + self.main + ['    return 0;', '}', ''])

    def problems(self, printed):
        lines = [line.split() for line in printed.splitlines()]
        if [line[0] for line in lines] != [name for name, _ in self.expected]:
            return ['the program ended early']
        out = []
        for line, (name, values) in zip(lines, self.expected):
            if len(line) - 1 != len(values):
                out.append(f'{name}: {len(line) - 1} numbers, expected {len(values)}')
                continue
            for i, (text, value) in enumerate(zip(line[1:], values)):
                same = (value is None or (isinstance(value, tuple) and float(text) == value[1]) or
                        (not isinstance(value, tuple) and f32_or_wild(text) == value))
                if not same:
                    out.append(f'{name}: number {i} is {text}, expected {value!r}')
                    break
        return out

    def compared(self):
        numbers = [v for _, values in self.expected for v in values]
        return sum(v is not None for v in numbers), len(numbers)
