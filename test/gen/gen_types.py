# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types of generated programs, their text, and how items of them lie in files."""
import struct


class Type:
    """A scalar kind, 'struct' with fields, 'array' with element and length, or 'portal' with the name of its receivers' filter.

    Equal types have equal text.
    """

    def __init__(self, kind, element=None, length=0, name=None, fields=()):
        self.kind, self.element, self.length, self.name, self.fields = kind, element, length, name, list(fields)

    def __eq__(self, other):
        return isinstance(other, Type) and self.text() == other.text()

    def __hash__(self):
        return hash(self.text())

    def text(self):
        """Prefix form: the base, then the lengths from the outermost inwards."""
        dims, t = "", self
        while t.kind == "array":
            dims += f"[{t.length}]"
            t = t.element
        if t.kind == "portal":
            return f"portal<{t.name}>"
        return (t.name if t.kind == "struct" else t.kind) + dims

    def __repr__(self):
        return self.text()

    @property
    def scalar(self):
        return self.kind not in ("array", "struct", "void", "portal")

    @property
    def numeric(self):
        return self.kind in ("int", "float", "bit", "double", "complex")

    @property
    def real(self):
        return self.kind in ("int", "float", "bit", "double")

    def leaves(self):
        """The scalars it consists of, in memory order."""
        if self.kind == "array":
            return self.element.leaves() * self.length
        if self.kind == "struct":
            return [leaf for _, t in self.fields for leaf in t.leaves()]
        return [self]

    # Layout in files: as in C.
    def alignment(self):
        if self.kind == "array":
            return self.element.alignment()
        if self.kind == "struct":
            return max([1] + [t.alignment() for _, t in self.fields])
        return {"boolean": 1, "double": 8}.get(self.kind, 4)

    def pieces(self, at=0):
        """(offset, scalar) of each scalar, and the size."""
        if self.kind == "array":
            found = []
            for _ in range(self.length):
                inner, at = self.element.pieces(at)
                found += inner
            return found, at
        if self.kind == "struct":
            found, start = [], at
            for _, t in self.fields:
                a = t.alignment()
                inner, at = t.pieces((at - start + a - 1) // a * a + start)
                found += inner
            a = self.alignment()
            return found, (at - start + a - 1) // a * a + start
        return [(at, self)], at + {"boolean": 1, "double": 8, "complex": 8}.get(self.kind, 4)


INT, FLOAT, BOOLEAN, BIT = Type("int"), Type("float"), Type("boolean"), Type("bit")
COMPLEX, DOUBLE, VOID = Type("complex"), Type("double"), Type("void")
SCALARS = {t.kind: t for t in (INT, FLOAT, BOOLEAN, BIT, COMPLEX, DOUBLE)}
PROMOTES = {  # what a scalar type takes besides itself
    "int": ["bit"],
    "float": ["bit", "int"],
    "double": ["bit", "int", "float"],
    "complex": ["bit", "int", "float"],
}


def array(element, length):
    return Type("array", element, length)


def random_item(rng, t):
    """The bytes of a random item."""
    if t.kind == "boolean":
        return bytes([rng.random() < 0.5])
    if t.kind == "bit":
        return struct.pack("<i", rng.randint(0, 1))
    if t.kind == "int":
        return struct.pack("<i", rng.choice([rng.randint(-9, 9), rng.randint(-300, 300), rng.randint(-2**31, 2**31 - 1)]))
    if t.kind in ("float", "double", "complex"):
        values = [rng.choice([float(rng.randint(-9, 9)), round(rng.uniform(-4, 4), 3), round(rng.uniform(-1e4, 1e4), 1)])
                  for _ in range(2)]
        if t.kind == "complex":
            return struct.pack("<ff", *values)
        return struct.pack("<f" if t.kind == "float" else "<d", values[0])
    places, size = t.pieces()
    data = bytearray(size)
    for at, scalar in places:
        item = random_item(rng, scalar)
        data[at:at + len(item)] = item
    return bytes(data)


def file_text(rng, t, count):
    """The kind and the items of a file, in the words of run-all.py."""
    if t.kind == "bit":
        return "bit", " ".join(str(rng.randint(0, 1)) for _ in range(count))
    data = b"".join(random_item(rng, t) for _ in range(count))
    if t.kind not in ("int", "float"):
        return "hex", data.hex(" ")
    numbers = struct.unpack(f"<{len(data) // 4}{'i' if t.kind == 'int' else 'f'}", data)
    return t.kind, " ".join(repr(n) if t.kind == "int" else f"{n:.9g}" for n in numbers)
