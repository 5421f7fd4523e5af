// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The source lines under a diagnostic: caret, underlined ranges, fix-its. A line is laid out as glyphs, each with the
// terminal columns it takes, and only near what is marked, so that one huge line costs no more than a short one.
#include <string.h>

#include "support/diag_render.h"
#include "support/utf8.h"

enum {
    TAB_STOP = 8,
    WIDEST = 200,       // columns of a line shown; more is clipped to "..."
    BYTES_BEFORE = 800, // bytes laid out before and after the marked place
    BYTES_AFTER = 1600,
    MOST_LINES = 6, // a further range is shown when all that is shown then spans no more lines
};

typedef struct glyph {
    uint32_t byte;      // offset in the file
    size_t text, bytes; // its part of line.text
    size_t column, width;
    bool blank;
} glyph;

typedef struct line {
    uint32_t begin, end; // the line in the file, without its line break
    bool cut_before, cut_after;
    strbuf text;
    VEC(glyph) glyphs;
    size_t width;
    char *marks;                  // width + 1 columns and NUL
    size_t first_mark, last_mark; // columns; last_mark is after the mark
} line;

// The bytes of line number (from 1) of f.
static void find_line(const source_file *f, uint32_t number, uint32_t *begin, uint32_t *end)
{
    *begin = f->lines.data[number - 1];
    *end = number < f->lines.len ? f->lines.data[number] - 1 : (uint32_t)f->len;
    if (*end > *begin && f->text[*end - 1] == '\r')
        --*end;
}

static uint32_t uint32_min(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void lay_out(diag_renderer *r, line *l, const source_file *f, uint32_t near)
{
    arena *a = r->scratch;
    uint32_t from = l->begin, to = uint32_min(l->end, near + BYTES_AFTER);
    if (near > l->begin && near - l->begin > BYTES_BEFORE) {
        from = near - BYTES_BEFORE;
        for (int i = 0; i < 3 && ((unsigned char)f->text[from] & 0xc0) == 0x80; i++)
            from++; // to a character's first byte
    }
    l->cut_before = from > l->begin;
    l->cut_after = to < l->end;
    strbuf_init(&l->text, a);
    for (uint32_t i = from; i < to;) {
        glyph g = {.byte = i, .text = l->text.len, .column = l->width};
        g.blank = f->text[i] == ' ' || f->text[i] == '\t';
        unsigned width = 0;
        if (f->text[i] == '\t') {
            width = (unsigned)(TAB_STOP - l->width % TAB_STOP);
            strbuf_pad(&l->text, ' ', width);
            i++;
        } else {
            i += (uint32_t)utf8_add_glyph(&l->text, f->text + i, to - i, &width);
        }
        g.bytes = l->text.len - g.text;
        g.width = width;
        l->width += width;
        VEC_PUSH(a, &l->glyphs, g);
    }
    l->marks = arena_alloc(a, l->width + 2);
    memset(l->marks, ' ', l->width + 1);
    l->first_mark = l->width + 1;
}

static void mark(line *l, size_t column, size_t width, char c)
{
    if (width == 0)
        return;
    memset(l->marks + column, c, width);
    if (column < l->first_mark)
        l->first_mark = column;
    if (column + width > l->last_mark)
        l->last_mark = column + width;
}

// Underlines what of the range lies in the line, without blanks at its ends.
static void mark_range(line *l, src_range range)
{
    size_t first = 0, last = l->glyphs.len;
    const glyph *g = l->glyphs.data;
    while (first < last && (g[first].byte < range.begin || g[first].blank))
        first++;
    while (last > first && (g[last - 1].byte >= range.end || g[last - 1].blank))
        last--;
    for (size_t i = first; i < last; i++)
        mark(l, g[i].column, g[i].width, '~');
}

// The column where the byte is shown; the line's end for what lies behind it.
static size_t column_of(const line *l, uint32_t byte)
{
    for (size_t i = l->glyphs.len; i > 0; i--) {
        const glyph *g = &l->glyphs.data[i - 1];
        if (g->byte <= byte)
            return byte < l->end || i < l->glyphs.len ? g->column : g->column + g->width;
    }
    return 0;
}

static void add_gutter(strbuf *b, uint32_t number, int width)
{
    if (number > 0)
        strbuf_printf(b, " %*u | ", width, number);
    else
        strbuf_printf(b, " %*s | ", width, "");
}

static void trim_right(strbuf *b)
{
    while (b->len > 0 && b->data[b->len - 1] == ' ')
        b->data[--b->len] = '\0';
}

// The columns [low, high) of the line that are shown: all, or WIDEST about what is marked.
static void choose_window(const line *l, size_t *low, size_t *high)
{
    *low = 0;
    *high = l->width + 1;
    if (*high <= WIDEST)
        return;
    size_t first = l->first_mark < l->width ? l->first_mark : l->width, marked = l->last_mark - first;
    size_t before = l->last_mark > first && marked < WIDEST - 20 ? (WIDEST - marked) / 2 : 20;
    *low = first > before ? first - before : 0;
    if (*low + WIDEST > *high)
        *low = *high - WIDEST;
    *high = *low + WIDEST;
}

// Says under the line what the fix-its that lie in it would put there.
static void add_fixits(diag_renderer *r, strbuf *b, const line *l, const diag_record *record, size_t low, size_t indent,
                       int gutter)
{
    strbuf row;
    strbuf_init(&row, r->scratch);
    size_t shown = 0; // columns of row
    for (size_t i = 0; i < record->fixits.len; i++) {
        const diag_fixit *fix = &record->fixits.data[i];
        bool here = fix->range.file == record->range.file && fix->range.begin >= l->begin && fix->range.end <= l->end;
        if (!here || fix->text[0] == '\0' || strchr(fix->text, '\n') != NULL)
            continue;
        size_t column = column_of(l, fix->range.begin);
        column = column < low ? 0 : column - low + indent;
        if (shown > 0 && column <= shown)
            column = shown + 1;
        strbuf_pad(&row, ' ', column - shown);
        shown = column;
        unsigned width;
        for (size_t n = strlen(fix->text), at = 0; at < n; shown += width)
            at += utf8_add_glyph(&row, fix->text + at, n - at, &width);
    }
    if (row.len == 0)
        return;
    add_gutter(b, 0, gutter);
    diag_set_color(r, b, DIAG_COLOR_MARK);
    strbuf_add(b, row.data);
    diag_set_color(r, b, DIAG_COLOR_NONE);
    strbuf_addc(b, '\n');
}

static void add_line(diag_renderer *r, strbuf *b, const line *l, const diag_record *record, uint32_t number, int gutter)
{
    size_t low, high;
    choose_window(l, &low, &high);
    bool dots_before = low > 0 || l->cut_before, dots_after = high <= l->width || l->cut_after;
    size_t indent = dots_before ? 3 : 0;
    add_gutter(b, number, gutter);
    if (dots_before)
        strbuf_add(b, "...");
    for (size_t i = 0; i < l->glyphs.len; i++) {
        const glyph *g = &l->glyphs.data[i];
        if (g->column >= low && g->column + g->width <= high)
            strbuf_addn(b, l->text.data + g->text, g->bytes);
        else if (g->column < low && g->column + g->width > low)
            strbuf_pad(b, ' ', g->column + g->width - low);
    }
    if (dots_after)
        strbuf_add(b, "...");
    trim_right(b);
    strbuf_addc(b, '\n');
    size_t end = l->last_mark < high ? l->last_mark : high;
    if (end > low && l->last_mark > 0) {
        add_gutter(b, 0, gutter);
        strbuf_pad(b, ' ', indent);
        diag_set_color(r, b, DIAG_COLOR_MARK);
        strbuf_addn(b, l->marks + low, end - low);
        trim_right(b);
        diag_set_color(r, b, DIAG_COLOR_NONE);
        strbuf_addc(b, '\n');
    }
    add_fixits(r, b, l, record, low, indent, gutter);
}

// Where in the line something is marked first, to lay it out about there.
static uint32_t near_place(const diag_record *record, uint32_t begin, uint32_t end)
{
    uint32_t near = record->range.begin;
    if (near >= begin && near <= end)
        return near;
    for (size_t i = 0; i < record->ranges.len; i++) {
        const src_range *x = &record->ranges.data[i];
        if (x->file == record->range.file && x->begin >= begin && x->begin <= end)
            return x->begin;
    }
    return begin;
}

static void add_marked_line(diag_renderer *r, strbuf *b, const diag_record *record, uint32_t number, int gutter)
{
    const source_file *f = source_get(r->sources, record->range.file);
    line l = {0};
    find_line(f, number, &l.begin, &l.end);
    lay_out(r, &l, f, near_place(record, l.begin, l.end));
    for (size_t i = 0; i < record->ranges.len; i++)
        if (record->ranges.data[i].file == record->range.file)
            mark_range(&l, record->ranges.data[i]);
    for (size_t i = 0; i < record->fixits.len; i++)
        if (record->fixits.data[i].range.file == record->range.file)
            mark_range(&l, record->fixits.data[i].range);
    mark_range(&l, record->range);
    if (number == source_pos(r->sources, record->range.file, record->range.begin).line)
        mark(&l, column_of(&l, record->range.begin), 1, '^');
    add_line(r, b, &l, record, number, gutter);
}

void diag_add_snippet(diag_renderer *r, strbuf *b, const diag_record *record)
{
    source_id file = record->range.file;
    if (file == 0 || !source_load(r->sources, file))
        return;
    uint32_t caret = source_pos(r->sources, file, record->range.begin).line, first = caret, last = caret;
    for (size_t i = 0; i < record->ranges.len; i++) {
        if (record->ranges.data[i].file != file)
            continue;
        uint32_t at = source_pos(r->sources, file, record->ranges.data[i].begin).line;
        uint32_t low = at < first ? at : first, high = at > last ? at : last;
        if (high - low < MOST_LINES) {
            first = low;
            last = high;
        }
    }
    int gutter = 4;
    for (uint32_t n = last; n >= 10000; n /= 10)
        gutter++;
    for (uint32_t number = first; number <= last; number++)
        add_marked_line(r, b, record, number, gutter);
}
