// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Containers: an ELF32 file with the instructions in .text and notes named "ATI DPP" that list what a program uses, as
// the CTM guide gives them; notes named "SVMC" carry constants' values, which the guide leaves to the host, and where the source has each
// instruction.
//
// The program info's words behind the first are images of the chip's registers in an order that is not public. Ours: 1,
// depth source, frame size, first and last instruction, flags (1: scatter).
#include <string.h>

#include "llc/softproc/isa.h"

enum {
    EHDR = 52,
    PHDR = 32,
    SHDR = 40,
    OSABI_CTM = 98,
    MACHINE_R5XX = 122,
    ET_EXEC = 2,
    PT_LOAD = 1,
    PT_NOTE = 4,
    SHT_PROGBITS = 1,
    SHT_STRTAB = 3,
    SHT_NOTE = 7,
    SHF_EXEC = 6, // allocated, instructions
};
enum {
    NOTE_INFO = 1,
    NOTE_INPUTS,
    NOTE_OUTPUTS,
    NOTE_CONDITIONAL,
    NOTE_FLOATS,
    NOTE_INTS,
    NOTE_EARLY_EXIT,
};
enum { OWN_FLOATS = 1, OWN_INTS, OWN_BOOLS, OWN_BOOL_LIST, OWN_PLACES };
enum { INFO_WORDS = 6, FLAG_SCATTER = 1 };

static const char ctm_name[8] = "ATI DPP", own_name[8] = "SVMC";
static const char names[] = "\0.text\0.note\0.shstrtab"; // a zero ends it too

// ---- Writing ----

typedef struct writer {
    uint8_t *out;
    size_t capacity, at;
} writer;

static void put_bytes(writer *w, const void *data, size_t n)
{
    if (w->at + n <= w->capacity)
        memcpy(w->out + w->at, data, n);
    w->at += n;
}

static void put16(writer *w, unsigned v)
{
    put_bytes(w, (const uint8_t[]){(uint8_t)v, (uint8_t)(v >> 8)}, 2);
}

static void put32(writer *w, uint32_t v)
{
    put_bytes(w, (const uint8_t[]){(uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16), (uint8_t)(v >> 24)}, 4);
}

static void put_note(writer *w, const char name[8], uint32_t type, const uint32_t *words, uint32_t count)
{
    put32(w, 8);
    put32(w, count * 4);
    put32(w, type);
    put_bytes(w, name, 8);
    for (uint32_t i = 0; i < count; i++)
        put32(w, words[i]);
}

static void put_list(writer *w, const char name[8], uint32_t type, const uint32_t *bits, unsigned most)
{
    uint32_t list[SP_MAX_CONSTANTS], n = 0;
    for (unsigned i = 0; i < most; i++)
        if (sp_bit(bits, i))
            list[n++] = i;
    if (n > 0)
        put_note(w, name, type, list, n);
}

static uint32_t float_bits(float v)
{
    uint32_t u;
    memcpy(&u, &v, sizeof u);
    return u;
}

static void put_values(writer *w, const sp_program *p)
{
    static uint32_t const zero = 0;
    uint32_t words[SP_MAX_CONSTANTS * 5], n = 0;
    for (unsigned i = 0; i < SP_MAX_CONSTANTS; i++) {
        if (!sp_bit(p->given_floats, i))
            continue;
        words[n++] = i;
        for (unsigned c = 0; c < 4; c++)
            words[n++] = float_bits(p->float_values[i][c]);
    }
    if (n > 0)
        put_note(w, own_name, OWN_FLOATS, words, n);
    n = 0;
    for (unsigned i = 0; i < SP_MAX_INTS; i++) {
        if (!sp_bit(&p->given_ints, i))
            continue;
        const sp_int_constant *v = &p->int_values[i];
        words[n++] = i;
        words[n++] = v->count | (uint32_t)v->init << 8 | (uint32_t)(uint8_t)v->step << 16;
    }
    if (n > 0)
        put_note(w, own_name, OWN_INTS, words, n);
    if (p->given_bools != zero)
        put_note(w, own_name, OWN_BOOLS, (const uint32_t[]){p->given_bools, p->bool_values}, 2);
    if (p->bools != zero)
        put_note(w, own_name, OWN_BOOL_LIST, (const uint32_t[]){p->bools}, 1);
}

// Text, filled up with zeros to whole words.
static void put_places(writer *w, const sp_program *p)
{
    size_t size = (p->places_size + 3) / 4 * 4;
    put32(w, 8);
    put32(w, (uint32_t)size);
    put32(w, OWN_PLACES);
    put_bytes(w, own_name, 8);
    put_bytes(w, p->places, p->places_size);
    put_bytes(w, "\0\0", size - p->places_size);
}

static void put_notes(writer *w, const sp_program *p)
{
    const uint32_t info[INFO_WORDS] = {1, 0, p->temps, 0, p->end, p->scatter ? FLAG_SCATTER : 0};
    put_note(w, ctm_name, NOTE_INFO, info, INFO_WORDS);
    put_list(w, ctm_name, NOTE_INPUTS, &p->inputs, SP_MAX_INPUTS);
    put_list(w, ctm_name, NOTE_OUTPUTS, &p->outputs, SP_MAX_OUTPUTS);
    put_list(w, ctm_name, NOTE_CONDITIONAL, &p->conditional_outputs, SP_MAX_OUTPUTS);
    put_list(w, ctm_name, NOTE_FLOATS, p->floats, SP_MAX_CONSTANTS);
    put_list(w, ctm_name, NOTE_INTS, &p->ints, SP_MAX_INTS);
    if (p->early_exit)
        put_note(w, ctm_name, NOTE_EARLY_EXIT, (const uint32_t[]){1}, 1);
    put_values(w, p);
    if (p->places_size > 0)
        put_places(w, p);
}

static void put_program_header(writer *w, uint32_t type, uint32_t offset, uint32_t size, uint32_t flags)
{
    const uint32_t words[] = {type, offset, 0, 0, size, size, flags, 4};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        put32(w, words[i]);
}

static void put_section_header(writer *w, uint32_t name, uint32_t type, uint32_t flags, uint32_t offset, uint32_t size)
{
    const uint32_t words[] = {name, type, flags, 0, offset, size, 0, 0, type == SHT_STRTAB ? 1 : 4, 0};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        put32(w, words[i]);
}

size_t sp_container_write(const sp_program *p, uint8_t *out, size_t capacity)
{
    writer notes = {NULL, 0, 0}, w = {out, capacity, 0};
    put_notes(&notes, p);
    uint32_t text = EHDR + 2 * PHDR, text_size = p->count * SP_WORDS * 4, note = text + text_size;
    uint32_t strings = note + (uint32_t)notes.at, sections = (strings + (uint32_t)sizeof names + 3) / 4 * 4;
    put_bytes(&w, (const uint8_t[16]){0x7f, 'E', 'L', 'F', 1, 1, 1, OSABI_CTM, 1}, 16);
    put16(&w, ET_EXEC);
    put16(&w, MACHINE_R5XX);
    const uint32_t words[] = {1, 0, EHDR, sections, 1};
    for (size_t i = 0; i < 5; i++)
        put32(&w, words[i]);
    const uint16_t sizes[] = {EHDR, PHDR, 2, SHDR, 4, 3};
    for (size_t i = 0; i < 6; i++)
        put16(&w, sizes[i]);
    put_program_header(&w, PT_LOAD, text, text_size, 5);
    put_program_header(&w, PT_NOTE, note, (uint32_t)notes.at, 4);
    for (uint32_t i = 0; i < p->count; i++)
        for (unsigned k = 0; k < SP_WORDS; k++)
            put32(&w, p->words[i][k]);
    put_notes(&w, p);
    put_bytes(&w, names, sizeof names);
    while (w.at % 4 != 0)
        put_bytes(&w, "", 1);
    put_section_header(&w, 0, 0, 0, 0, 0);
    put_section_header(&w, 1, SHT_PROGBITS, SHF_EXEC, text, text_size);
    put_section_header(&w, 7, SHT_NOTE, 0, note, (uint32_t)notes.at);
    put_section_header(&w, 13, SHT_STRTAB, 0, strings, (uint32_t)sizeof names);
    return w.at;
}

// ---- Reading ----

typedef struct reader {
    sp_program *program;
    const uint8_t *data;
    size_t size;
    sp_faults *faults;
    bool info;
} reader;

static uint32_t get16(const reader *r, size_t at)
{
    return r->data[at] | (uint32_t)r->data[at + 1] << 8;
}

static uint32_t get32(const reader *r, size_t at)
{
    return get16(r, at) | get16(r, at + 2) << 16;
}

static bool fits(const reader *r, size_t at, size_t n)
{
    return at <= r->size && n <= r->size - at;
}

static void read_list(reader *r, const char *what, size_t at, size_t words, uint32_t *bits, unsigned most)
{
    for (size_t i = 0; i < words; i++) {
        uint32_t v = get32(r, at + 4 * i);
        if (v >= most)
            sp_fault(r->faults, -1, "note '%s' lists number %lu; expected less than %u", what, (unsigned long)v, most);
        else
            sp_set_bit(bits, v);
    }
}

static void read_info(reader *r, size_t at, size_t words)
{
    sp_program *p = r->program;
    if (words != INFO_WORDS || get32(r, at) != 1) {
        sp_fault(r->faults, -1,
                 "the program info has %lu words and begins with %lu; expected %d words beginning with 1",
                 (unsigned long)words, words == 0 ? 0ul : (unsigned long)get32(r, at), INFO_WORDS);
        return;
    }
    p->temps = get32(r, at + 8);
    p->end = get32(r, at + 16);
    p->scatter = (get32(r, at + 20) & FLAG_SCATTER) != 0;
    if (get32(r, at + 4) != 0 || get32(r, at + 12) != 0 || get32(r, at + 20) > FLAG_SCATTER)
        sp_fault(r->faults, -1,
                 "the program info has a depth source, a first instruction or flags that are not supported");
    if (p->temps < 1 || p->temps > SP_MAX_TEMPS)
        sp_fault(r->faults, -1, "the program info gives %lu registers; expected 1 to %d", (unsigned long)p->temps,
                 SP_MAX_TEMPS);
    r->info = true;
}

static void read_ctm_note(reader *r, uint32_t type, size_t at, size_t words)
{
    sp_program *p = r->program;
    switch (type) {
    case NOTE_INFO: read_info(r, at, words); break;
    case NOTE_INPUTS: read_list(r, "inputs", at, words, &p->inputs, SP_MAX_INPUTS); break;
    case NOTE_OUTPUTS: read_list(r, "outputs", at, words, &p->outputs, SP_MAX_OUTPUTS); break;
    case NOTE_CONDITIONAL:
        read_list(r, "conditional outputs", at, words, &p->conditional_outputs, SP_MAX_OUTPUTS);
        break;
    case NOTE_FLOATS: read_list(r, "float constants", at, words, p->floats, SP_MAX_CONSTANTS); break;
    case NOTE_INTS: read_list(r, "int constants", at, words, &p->ints, SP_MAX_INTS); break;
    case NOTE_EARLY_EXIT:
        if (words != 1 || get32(r, at) > 1)
            sp_fault(r->faults, -1, "the early-exit note is not one word of 0 or 1");
        else
            p->early_exit = get32(r, at) == 1;
        break;
    default: sp_fault(r->faults, -1, "unknown note type %lu", (unsigned long)type);
    }
}

static void read_value_note(reader *r, uint32_t type, size_t at, size_t words)
{
    sp_program *p = r->program;
    size_t stride = type == OWN_FLOATS ? 5 : type == OWN_BOOL_LIST ? 1 : 2;
    if (type < OWN_FLOATS || type > OWN_BOOL_LIST || words == 0 || words % stride != 0 ||
        (type >= OWN_BOOLS && words != stride)) {
        sp_fault(r->faults, -1, "malformed note of constants' values (type %lu, %lu words)", (unsigned long)type,
                 (unsigned long)words);
        return;
    }
    if (type == OWN_BOOL_LIST)
        p->bools = get32(r, at);
    if (type == OWN_BOOLS) {
        p->given_bools = get32(r, at);
        p->bool_values = get32(r, at + 4) & p->given_bools;
    }
    if (type >= OWN_BOOLS)
        return;
    for (size_t i = 0; i < words; i += stride) {
        uint32_t n = get32(r, at + 4 * i), most = type == OWN_FLOATS ? SP_MAX_CONSTANTS : SP_MAX_INTS;
        if (n >= most) {
            sp_fault(r->faults, -1, "a value is given for constant %lu; expected less than %lu", (unsigned long)n,
                     (unsigned long)most);
            continue;
        }
        if (type == OWN_INTS) {
            uint32_t v = get32(r, at + 4 * i + 4);
            p->int_values[n] = (sp_int_constant){(uint8_t)v, (uint8_t)(v >> 8), (int8_t)(uint8_t)(v >> 16)};
            p->given_ints |= 1u << n;
            continue;
        }
        for (unsigned c = 0; c < 4; c++) {
            uint32_t v = get32(r, at + 4 * (i + 1 + c));
            memcpy(&p->float_values[n][c], &v, sizeof v);
        }
        sp_set_bit(p->given_floats, n);
    }
}

// Lines of text, of which nothing is anything but text.
static void read_places(reader *r, size_t at, size_t size)
{
    enum { FIRST_PRINTED = 0x20, DELETED = 0x7f };
    const char *text = (const char *)r->data + at;
    while (size > 0 && text[size - 1] == '\0')
        size--;
    for (size_t i = 0; i < size; i++)
        if (text[i] != '\n' && ((unsigned char)text[i] < FIRST_PRINTED || text[i] == DELETED)) {
            sp_fault(r->faults, -1, "the note of source lines has a byte %u, which is no text",
                     (unsigned)(unsigned char)text[i]);
            return;
        }
    r->program->places = text;
    r->program->places_size = size;
}

static void check_places(const reader *r)
{
    const sp_program *p = r->program;
    size_t lines = 0;
    for (size_t i = 0; i < p->places_size; i++)
        lines += p->places[i] == '\n';
    if (p->places_size > 0 && (lines != p->count || p->places[p->places_size - 1] != '\n'))
        sp_fault(r->faults, -1, "the note of source lines has %lu lines; expected one for each of %lu instructions",
                 (unsigned long)lines, (unsigned long)p->count);
}

static void read_notes(reader *r, size_t at, size_t size)
{
    size_t end = at + size;
    while (end - at >= 12) {
        size_t name = get32(r, at), desc = get32(r, at + 4);
        uint32_t type = get32(r, at + 8);
        at += 12;
        if (name > end - at || (name + 3) / 4 * 4 > end - at || desc > end - at - (name + 3) / 4 * 4 || desc % 4 != 0) {
            sp_fault(r->faults, -1, "a note is longer than the notes' segment, or no whole number of words");
            return;
        }
        size_t body = at + (name + 3) / 4 * 4;
        if (name == 8 && memcmp(r->data + at, ctm_name, 8) == 0)
            read_ctm_note(r, type, body, desc / 4);
        else if (name == 8 && memcmp(r->data + at, own_name, 8) == 0 && type == OWN_PLACES)
            read_places(r, body, desc);
        else if (name == 8 && memcmp(r->data + at, own_name, 8) == 0)
            read_value_note(r, type, body, desc / 4);
        at = body + desc;
    }
    if (at != end)
        sp_fault(r->faults, -1, "the notes' segment ends within a note");
}

static void read_text(reader *r, size_t at, size_t size)
{
    sp_program *p = r->program;
    if (size == 0 || size % (SP_WORDS * 4) != 0 || size / (SP_WORDS * 4) > SP_MAX_INSTRUCTIONS) {
        sp_fault(r->faults, -1, "the program has %lu bytes; expected 1 to %d instructions of %d bytes",
                 (unsigned long)size, SP_MAX_INSTRUCTIONS, SP_WORDS * 4);
        return;
    }
    p->count = (uint32_t)(size / (SP_WORDS * 4));
    for (uint32_t i = 0; i < p->count; i++)
        for (unsigned k = 0; k < SP_WORDS; k++)
            p->words[i][k] = get32(r, at + (i * SP_WORDS + k) * 4);
}

static bool check_header(const reader *r)
{
    static const uint8_t ident[7] = {0x7f, 'E', 'L', 'F', 1, 1, 1};
    if (r->size < EHDR || memcmp(r->data, ident, sizeof ident) != 0) {
        sp_fault(r->faults, -1,
                 "not a container: it does not begin with the header of a 32-bit little-endian ELF file");
        return false;
    }
    if (r->data[7] != OSABI_CTM || r->data[8] != 1 || get16(r, 16) != ET_EXEC || get16(r, 18) != MACHINE_R5XX) {
        sp_fault(r->faults, -1,
                 "an ELF file for machine %lu, ABI %u; expected an executable for machine %d (r5xx), ABI %d",
                 (unsigned long)get16(r, 18), r->data[7], MACHINE_R5XX, OSABI_CTM);
        return false;
    }
    if (get32(r, 24) != 0 || get16(r, 42) != PHDR) {
        sp_fault(r->faults, -1, "entry %lu and program headers of %lu bytes; expected 0 and %d",
                 (unsigned long)get32(r, 24), (unsigned long)get16(r, 42), PHDR);
        return false;
    }
    return true;
}

bool sp_container_read(sp_program *p, const uint8_t *data, size_t size, sp_faults *faults)
{
    unsigned before = faults->count;
    reader r = {p, data, size, faults, false};
    memset(p, 0, sizeof *p);
    if (!check_header(&r))
        return false;
    size_t headers = get32(&r, 28), count = get16(&r, 44);
    if (!fits(&r, headers, count * PHDR)) {
        sp_fault(faults, -1, "the program headers lie outside of the file");
        return false;
    }
    unsigned texts = 0;
    for (size_t i = 0; i < count; i++) {
        size_t h = headers + i * PHDR, at = get32(&r, h + 4), bytes = get32(&r, h + 16);
        uint32_t type = get32(&r, h);
        if (type != PT_LOAD && type != PT_NOTE)
            continue;
        if (!fits(&r, at, bytes)) {
            sp_fault(faults, -1, "a segment lies outside of the file");
            return false;
        }
        if (type == PT_NOTE)
            read_notes(&r, at, bytes);
        else if (texts++ == 0)
            read_text(&r, at, bytes);
        else
            sp_fault(faults, -1, "more than one segment of instructions");
    }
    if (texts == 0)
        sp_fault(faults, -1, "the container has no segment of instructions");
    if (!r.info)
        sp_fault(faults, -1, "the container has no program info note");
    check_places(&r);
    return faults->count == before;
}
