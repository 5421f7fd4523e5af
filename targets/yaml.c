// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads YAML with libfyaml's event parser into a small tree. Events, not documents: nothing is resolved, expanded
// or recursed into, so that hostile texts cost no more than their length.
#include "targets/yaml.h"

#include <libfyaml.h>
#include <string.h>

#include "support/hmap.h"
#include "support/utf8.h"

typedef struct yaml_reader {
    arena *arena;
    diag_engine *diag;
    source_id file;
    const char *noun; // what the text is: "machine file"
    size_t length, last_end;
    struct fy_parser *parser;
    struct fy_diag *messages;
    yaml_node *stack[YAML_MAX_DEPTH];
    yaml_node *pending_key[YAML_MAX_DEPTH]; // mapping: a key that still needs its value
    hmap *seen[YAML_MAX_DEPTH];             // mapping: its keys
    size_t depth;
    yaml_node *root;
    size_t documents;
    bool failed;
} yaml_reader;

static src_range range_of(const yaml_reader *r, size_t begin, size_t end)
{
    if (begin > r->length)
        begin = r->length;
    if (end < begin)
        end = begin;
    if (end > r->length)
        end = r->length;
    return (src_range){r->file, (uint32_t)begin, (uint32_t)end};
}

// An event without text (a value that is left out) is where the one before it ended.
static src_range event_range(yaml_reader *r, struct fy_event *event)
{
    const struct fy_mark *start = fy_event_start_mark(event), *end = fy_event_end_mark(event);
    size_t begin = start == NULL ? r->last_end : start->input_pos;
    src_range range = range_of(r, begin, end == NULL ? begin : end->input_pos);
    r->last_end = range.end;
    return range;
}

static src_range token_range(const yaml_reader *r, struct fy_token *token)
{
    const struct fy_mark *start = fy_token_start_mark(token), *end = fy_token_end_mark(token);
    size_t begin = start == NULL ? 0 : start->input_pos;
    return range_of(r, begin, end == NULL ? begin : end->input_pos);
}

static void fail(yaml_reader *r, src_range range, const char *message)
{
    diag_error(r->diag, range, "%s", message);
    r->failed = true;
}

// Puts a complete or opened node where it belongs.
static void place(yaml_reader *r, yaml_node *node)
{
    if (r->depth == 0) {
        if (r->root == NULL)
            r->root = node;
        return;
    }
    yaml_node *parent = r->stack[r->depth - 1];
    if (parent->kind == YAML_SEQUENCE) {
        VEC_PUSH(r->arena, &parent->items, node);
        return;
    }
    yaml_node **key = &r->pending_key[r->depth - 1];
    if (*key != NULL) {
        VEC_PUSH(r->arena, &parent->pairs, (yaml_pair){*key, node});
        *key = NULL;
        return;
    }
    *key = node;
    if (node->kind != YAML_SCALAR) {
        fail(r, node->range, "a key is a single word; this is a list or a mapping");
        return;
    }
    yaml_node *earlier = hmap_get(r->seen[r->depth - 1], node->text);
    if (earlier != NULL) {
        diag_record *e = diag_error(r->diag, node->range, "key '%s' is given twice", node->text);
        diag_add_note(r->diag, e, earlier->range, "it is given here first");
        r->failed = true;
    }
    hmap_set(r->seen[r->depth - 1], node->text, node);
}

static void open_node(yaml_reader *r, struct fy_event *event, yaml_kind kind)
{
    yaml_node *node = ARENA_NEW(r->arena, yaml_node);
    node->kind = kind;
    node->range = event_range(r, event);
    if (r->depth == YAML_MAX_DEPTH) {
        fail(r, node->range, arena_printf(r->arena, "nested too deeply for a %s", r->noun));
        return;
    }
    place(r, node);
    r->stack[r->depth] = node;
    r->pending_key[r->depth] = NULL;
    r->seen[r->depth] = NULL;
    if (kind == YAML_MAPPING) {
        r->seen[r->depth] = ARENA_NEW(r->arena, hmap);
        hmap_init(r->seen[r->depth], r->arena);
    }
    r->depth++;
}

static void close_node(yaml_reader *r, struct fy_event *event)
{
    if (r->depth == 0)
        return;
    yaml_node *node = r->stack[--r->depth];
    // A block collection has no token at its end; what it holds tells.
    src_range end = event_range(r, event);
    if (end.end > node->range.end && end.end > end.begin)
        node->range.end = end.end;
}

static void scalar(yaml_reader *r, struct fy_event *event)
{
    yaml_node *node = ARENA_NEW(r->arena, yaml_node);
    node->kind = YAML_SCALAR;
    node->range = event_range(r, event);
    size_t len = 0;
    const char *text = fy_token_get_text(event->scalar.value, &len);
    if (text == NULL) {
        text = "";
        len = 0;
    }
    node->text = arena_strndup(r->arena, text, len);
    node->quoted = fy_token_scalar_style(event->scalar.value) != FYSS_PLAIN;
    if (strlen(node->text) != len)
        fail(r, node->range, "a value may not contain a null character");
    place(r, node);
}

static void refuse_tokens(yaml_reader *r, struct fy_token *anchor, struct fy_token *tag)
{
    if (anchor != NULL)
        fail(r, token_range(r, anchor),
             arena_printf(r->arena, "anchors are not used in %ss; write the value where it is needed", r->noun));
    else if (tag != NULL)
        fail(r, token_range(r, tag),
             arena_printf(r->arena, "tags are not used in %ss; the schema says what type a value has", r->noun));
}

static void handle_event(yaml_reader *r, struct fy_event *event)
{
    switch (event->type) {
    case FYET_DOCUMENT_START:
        if (++r->documents == 2)
            fail(r, event_range(r, event),
                 arena_printf(r->arena, "a %s holds one document; a second one starts here", r->noun));
        break;
    case FYET_ALIAS:
        fail(r, event_range(r, event),
             arena_printf(r->arena, "aliases are not used in %ss; write the value itself", r->noun));
        break;
    case FYET_SCALAR:
        refuse_tokens(r, event->scalar.anchor, event->scalar.tag);
        scalar(r, event);
        break;
    case FYET_SEQUENCE_START:
        refuse_tokens(r, event->sequence_start.anchor, event->sequence_start.tag);
        open_node(r, event, YAML_SEQUENCE);
        break;
    case FYET_MAPPING_START:
        refuse_tokens(r, event->mapping_start.anchor, event->mapping_start.tag);
        open_node(r, event, YAML_MAPPING);
        break;
    case FYET_SEQUENCE_END:
    case FYET_MAPPING_END: close_node(r, event); break;
    default: break;
    }
}

// Says what libfyaml found wrong: its first message, at its place.
static void report_syntax(yaml_reader *r)
{
    void *iterator = NULL;
    struct fy_diag_error *e = fy_diag_errors_iterate(r->messages, &iterator);
    if (e == NULL || e->msg == NULL) {
        diag_error_at(r->diag, source_get(r->diag->sources, r->file)->name, "this is not YAML");
        return;
    }
    uint32_t line = e->line < 0 ? 1 : (uint32_t)e->line, column = e->column < 0 ? 1 : (uint32_t)e->column;
    uint32_t at = source_offset(r->diag->sources, r->file, line == 0 ? 1 : line, column == 0 ? 1 : column);
    size_t len = strlen(e->msg);
    while (len > 0 && (e->msg[len - 1] == '\n' || e->msg[len - 1] == '.'))
        len--;
    diag_error(r->diag, (src_range){r->file, at, at}, "not YAML: %.*s", (int)(len > 200 ? 200 : len), e->msg);
}

// Refuses what no machine file needs and libfyaml 0.7.12 does not take well: control characters, bytes that are not
// UTF-8, and directives (it reads some of them for ever).
static bool acceptable_bytes(diag_engine *d, source_id file, const char *noun)
{
    const source_file *source = source_get(d->sources, file);
    if (source->len > YAML_MAX_BYTES) {
        diag_error_at(d, source->name, "a %s has at most %d bytes; this one has %zu", noun, YAML_MAX_BYTES,
                      source->len);
        return false;
    }
    size_t n = 1;
    for (size_t i = 0; i < source->len; i += n) {
        unsigned char c = (unsigned char)source->text[i];
        src_range range = {file, (uint32_t)i, (uint32_t)i + 1};
        uint32_t code;
        n = utf8_decode(source->text + i, source->len - i, &code);
        if (n == 0 || (c < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7f) {
            diag_error(d, range, "a byte that is no text (code %d); a %s is UTF-8 text", c, noun);
            return false;
        }
        if (c == '%' && (i == 0 || source->text[i - 1] == '\n' || source->text[i - 1] == '\r')) {
            diag_error(d, range, "directives are not used in %ss", noun);
            return false;
        }
    }
    return true;
}

static void read_events(yaml_reader *r)
{
    for (;;) {
        struct fy_event *event = fy_parser_parse(r->parser);
        if (event == NULL) {
            if (!r->failed && fy_parser_get_stream_error(r->parser)) {
                report_syntax(r);
                r->failed = true;
            }
            return;
        }
        bool end = event->type == FYET_STREAM_END;
        handle_event(r, event);
        fy_parser_event_free(r->parser, event);
        if (end || r->failed)
            return;
    }
}

yaml_node *yaml_parse(arena *a, diag_engine *d, source_id file, const char *noun, const char *start)
{
    if (!acceptable_bytes(d, file, noun))
        return NULL;
    const source_file *source = source_get(d->sources, file);
    yaml_reader r = {.arena = a, .diag = d, .file = file, .noun = noun, .length = source->len};
    struct fy_diag_cfg messages = {.level = FYET_ERROR, .module_mask = ~0u};
    r.messages = fy_diag_create(&messages);
    fy_diag_set_collect_errors(r.messages, true);
    struct fy_parse_cfg config = {.search_path = "", .flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG, .diag = r.messages};
    r.parser = fy_parser_create(&config);
    if (r.parser == NULL || fy_parser_set_string(r.parser, source->text, source->len) != 0) {
        diag_internal(d, (src_range){0}, "the YAML parser cannot be created");
        r.failed = true;
    } else {
        read_events(&r);
    }
    if (r.parser != NULL)
        fy_parser_destroy(r.parser);
    fy_diag_destroy(r.messages);
    if (!r.failed && r.root == NULL) {
        diag_error_at(d, source->name, "the %s is empty; it starts with '%s'", noun, start);
        return NULL;
    }
    return r.failed ? NULL : r.root;
}

yaml_node *yaml_default(arena *a, const char *text)
{
    yaml_node *node = ARENA_NEW(a, yaml_node);
    if (text[0] != '[') {
        *node = (yaml_node){.kind = YAML_SCALAR, .text = text};
        return node;
    }
    node->kind = YAML_SEQUENCE;
    for (const char *p = text + 1; *p != ']';) {
        size_t n = strcspn(p, ",]");
        yaml_node *item = ARENA_NEW(a, yaml_node);
        *item = (yaml_node){.kind = YAML_SCALAR, .text = arena_strndup(a, p, n)};
        VEC_PUSH(a, &node->items, item);
        p += n;
        p += strspn(p, ", ");
    }
    return node;
}

const char *yaml_kind_text(const yaml_node *node)
{
    switch (node->kind) {
    case YAML_SEQUENCE: return "a list";
    case YAML_MAPPING: return "a mapping";
    case YAML_SCALAR: break;
    }
    return "a value";
}
