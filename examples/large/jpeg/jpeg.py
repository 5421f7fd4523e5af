# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A baseline JPEG decoder for checks: the formulas of ITU-T T.81, in double precision, nothing fast. And PPM and PGM files."""
import math

ZIGZAG = sorted(range(64), key=lambda i: (i // 8 + i % 8, i // 8 if (i // 8 + i % 8) % 2 else i % 8))
BASIS = [[math.cos((2 * x + 1) * u * math.pi / 16) * (math.sqrt(0.5) if u == 0 else 1) / 2 for u in range(8)] for x in range(8)]


class Damaged(Exception):
    pass


class Picture:
    def __init__(self, width, height, samples):
        """samples: R, G, B of each pixel, row by row."""
        self.width, self.height, self.samples = width, height, list(samples)
        if len(self.samples) != 3 * width * height:
            raise Damaged(f"{len(self.samples)} samples instead of {width} x {height} x 3")


def read_portable(data):
    """P6, or P5 as grey R, G, B."""
    fields, at = [], 2
    while len(fields) < 3:
        while data[at:at + 1].isspace():
            at += 1
        if data[at:at + 1] == b"#":
            at = data.index(b"\n", at)
            continue
        end = at
        while data[end:end + 1].isdigit():
            end += 1
        if end == at:
            raise Damaged("no PPM header")
        fields.append(int(data[at:end]))
        at = end
    samples = data[at + 1:]
    if data[:2] == b"P5":
        samples = [v for v in samples for _ in range(3)]
    elif data[:2] != b"P6":
        raise Damaged("neither P6 nor P5")
    return Picture(fields[0], fields[1], samples)


def portable(picture):
    return b"P6\n%d %d\n255\n" % (picture.width, picture.height) + bytes(picture.samples)


def segments(data):
    """(marker, contents) of each segment; of a scan also the bytes up to the next marker that is no restart."""
    at = 0
    while at < len(data):
        if data[at] != 255:
            raise Damaged(f"no marker at byte {at}")
        marker = data[at + 1]
        at += 2
        if marker in (0xD8, 0xD9):
            yield marker, b"", b""
            continue
        size = int.from_bytes(data[at:at + 2], "big")
        contents, at = data[at + 2:at + size], at + size
        start = at
        if marker == 0xDA:
            while not (data[at] == 255 and data[at + 1] != 0 and not 0xD0 <= data[at + 1] <= 0xD7):
                at += 1
        yield marker, contents, data[start:at]


def intervals(data):
    """The bits of each restart interval of a scan."""
    parts, part, at = [], bytearray(), 0
    while at < len(data):
        if data[at] == 255 and data[at + 1] != 0:
            parts.append(part)
            part = bytearray()
            at += 2
        else:
            part.append(data[at])
            at += 2 if data[at] == 255 else 1
    parts.append(part)
    return ["".join(f"{b:08b}" for b in p) for p in parts]


def code_table(contents):
    """{(bits): value}, the codes counted up in each length."""
    table, code, at = {}, 0, 16
    for n in range(16):
        for _ in range(contents[n]):
            table[f"{code:0{n + 1}b}"] = contents[at]
            code, at = code + 1, at + 1
        code *= 2
    return table, at


class Reader:
    def __init__(self, bits):
        self.bits, self.at = bits, 0

    def symbol(self, table):
        for n in range(1, 17):
            value = table.get(self.bits[self.at:self.at + n])
            if value is not None:
                self.at += n
                return value
        raise Damaged("a code that is in no table")

    def number(self, n):
        if n == 0:
            return 0
        v = int(self.bits[self.at:self.at + n], 2)
        self.at += n
        return v if v >> (n - 1) else v - (1 << n) + 1


def transform(block):
    """T.81 A.3.3, row by row and then column by column."""
    rows = [[sum(BASIS[x][u] * block[8 * v + u] for u in range(8)) for x in range(8)] for v in range(8)]
    return [[min(255, max(0, math.floor(sum(BASIS[y][v] * rows[v][x] for v in range(8)) + 128.5))) for x in range(8)]
            for y in range(8)]


class Component:
    def __init__(self, fields):
        self.id, self.across, self.down, self.quantiser = fields[0], fields[1] >> 4, fields[1] & 15, fields[2]
        self.plane, self.predicted, self.tables = {}, 0, (0, 0)


def decode_block(reader, component, codes, quantiser):
    block = [0] * 64
    component.predicted += reader.number(reader.symbol(codes[0, component.tables[0]]))
    block[0] = component.predicted * quantiser[0]
    k = 1
    while k < 64:
        v = reader.symbol(codes[1, component.tables[1]])
        if v == 0:
            break
        k += v >> 4
        block[ZIGZAG[k]] = reader.number(v & 15) * quantiser[k]
        k += 1
    return transform(block)


def decode_scan(data, components, units, codes, quantisers, interval):
    parts = intervals(data)
    for unit in range(units[0] * units[1]):
        if unit == 0 or interval and unit % interval == 0:
            reader = Reader(parts.pop(0) if parts else "")
            for c in components:
                c.predicted = 0
        for c in components:
            for b in range(c.across * c.down):
                x = (unit % units[0] * c.across + b % c.across) * 8
                y = (unit // units[0] * c.down + b // c.across) * 8
                samples = decode_block(reader, c, codes, quantisers[c.quantiser])
                for dy in range(8):
                    for dx in range(8):
                        c.plane[y + dy, x + dx] = samples[dy][dx]


def rgb(values):
    if len(values) == 1:
        return values * 3
    y, cb, cr = values[0], values[1] - 128, values[2] - 128
    return [min(255, max(0, math.floor(v + 0.5)))
            for v in (y + 1.402 * cr, y - 0.344136 * cb - 0.714136 * cr, y + 1.772 * cb)]


def decode(data):
    """The picture in a JPEG file of one interleaved baseline scan; components with fewer samples are spread by repetition."""
    codes, quantisers, components, interval = {}, {}, [], 0
    for marker, contents, scan in segments(data):
        if marker == 0xC4:
            while contents:
                table, used = code_table(contents[1:])
                codes[contents[0] >> 4, contents[0] & 15] = table
                contents = contents[1 + used:]
        elif marker == 0xDB:
            while contents:
                size = 2 if contents[0] >> 4 else 1
                quantisers[contents[0] & 15] = [int.from_bytes(contents[1 + size * k:][:size], "big") for k in range(64)]
                contents = contents[1 + 64 * size:]
        elif marker == 0xDD:
            interval = int.from_bytes(contents, "big")
        elif marker == 0xC0:
            height, width = int.from_bytes(contents[1:3], "big"), int.from_bytes(contents[3:5], "big")
            components = [Component(contents[6 + 3 * c:9 + 3 * c]) for c in range(contents[5])]
            if len(components) == 1:
                components[0].across = components[0].down = 1
        elif marker == 0xDA:
            if contents[0] != len(components):
                raise Damaged("not all components in one scan")
            for c, fields in zip(components, zip(contents[1::2], contents[2::2])):
                c.tables = fields[1] >> 4, fields[1] & 15
            across, down = max(c.across for c in components), max(c.down for c in components)
            units = -(-width // (8 * across)), -(-height // (8 * down))
            decode_scan(scan, components, units, codes, quantisers, interval)
        elif 0xC0 < marker < 0xD0:
            raise Damaged(f"marker FF{marker:02X}: not baseline")
    return Picture(width, height, [v for y in range(height) for x in range(width) for v in rgb(
        [c.plane[y * c.down // down, x * c.across // across] for c in components])])
