// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a graph's YAML tree to tasks and streams; names of machine elements stay names.
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/graph.h"
#include "targets/yaml.h"

typedef struct reader {
    arena *arena;
    diag_engine *diag;
    graph *graph;
    bool failed;
} reader;

// What a key's value is.
typedef enum value_type {
    VALUE_NAME,
    VALUE_TEXT,
    VALUE_BOOL,
    VALUE_COUNT,
    VALUE_POSITIVE,
    VALUE_SIZE,
    VALUE_TIME,
    VALUE_LIST,
    VALUE_MAPPING,
    VALUE_ANY
} value_type;

// A key of one kind of mapping.
typedef struct key_row {
    const char *key;
    value_type type;
    bool required;
} key_row;
typedef struct key_table {
    const char *noun;
    const key_row *rows;
    size_t count;
} key_table;
#define KEYS(noun, rows) {noun, rows, sizeof(rows) / sizeof *(rows)}

static const key_row graph_rows[] = {{"graph", VALUE_NAME, true},         {"summary", VALUE_TEXT, false},
                                     {"machine", VALUE_NAME, false},      {"iterations", VALUE_POSITIVE, false},
                                     {"iteration", VALUE_MAPPING, false}, {"tasks", VALUE_MAPPING, true},
                                     {"streams", VALUE_MAPPING, false}};
static const key_row iteration_rows[] = {{"task", VALUE_NAME, true}, {"subtasks", VALUE_POSITIVE, false}};
static const key_row task_rows[] = {
    {"processor", VALUE_NAME, false},  {"io", VALUE_BOOL, false},          {"subtasks", VALUE_LIST, false},
    {"stateless", VALUE_BOOL, false},  {"workers", VALUE_POSITIVE, false}, {"acquire", VALUE_LIST, false},
    {"release", VALUE_LIST, false},    {"time", VALUE_TIME, false},        {"operations", VALUE_MAPPING, false},
    {"registers", VALUE_COUNT, false}, {"repeat", VALUE_POSITIVE, false}};
static const key_row subtask_rows[] = {{"acquire", VALUE_LIST, true},     {"release", VALUE_LIST, false},
                                       {"time", VALUE_TIME, false},       {"operations", VALUE_MAPPING, false},
                                       {"registers", VALUE_COUNT, false}, {"repeat", VALUE_POSITIVE, false}};
static const key_row port_rows[] = {
    {"push", VALUE_NAME, false}, {"pop", VALUE_NAME, false}, {"elements", VALUE_POSITIVE, false}};
static const key_row stream_rows[] = {{"element", VALUE_SIZE, true},      {"from", VALUE_NAME, true},
                                      {"to", VALUE_NAME, true},           {"push", VALUE_POSITIVE, false},
                                      {"pop", VALUE_POSITIVE, false},     {"producer", VALUE_MAPPING, false},
                                      {"consumer", VALUE_MAPPING, false}, {"shared", VALUE_MAPPING, false},
                                      {"prequeue", VALUE_COUNT, false},   {"link", VALUE_NAME, false}};
static const key_row buffer_rows[] = {
    {"memory", VALUE_NAME, false}, {"length", VALUE_POSITIVE, true}, {"history", VALUE_COUNT, false}};
static const key_table graph_keys = KEYS("graph", graph_rows), iteration_keys = KEYS("iteration", iteration_rows),
                       task_keys = KEYS("task", task_rows), subtask_keys = KEYS("subtask", subtask_rows),
                       port_keys = KEYS("acquired block", port_rows), stream_keys = KEYS("stream", stream_rows),
                       buffer_keys = KEYS("buffer", buffer_rows);

static diag_record *wrong(reader *r, src_range range, const char *format, ...) __attribute__((format(printf, 3, 4)));
static diag_record *wrong(reader *r, src_range range, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    r->failed = true;
    diag_record *record = diag_error(r->diag, range, "%s", arena_vprintf(r->arena, format, args));
    va_end(args);
    return record;
}

// ---- Values ----

static const char *expectation(value_type type)
{
    switch (type) {
    case VALUE_NAME: return "a name";
    case VALUE_TEXT: return "a text";
    case VALUE_BOOL: return "true or false";
    case VALUE_COUNT: return "a whole number, 0 or more";
    case VALUE_POSITIVE: return "a whole number, 1 or more";
    case VALUE_SIZE: return "a size (B, KiB or MiB), for example '4 B'";
    case VALUE_TIME: return "a time (cycles, ps, ns, us, ms or s), for example '720 cycles'";
    case VALUE_LIST: return "a list";
    case VALUE_MAPPING: return "a mapping";
    case VALUE_ANY: break;
    }
    return "a value";
}

static void expected(reader *r, const yaml_node *node, const char *key, value_type type)
{
    const char *got = node->kind != YAML_SCALAR ? yaml_kind_text(node)
                      : node->text[0] == '\0'   ? "nothing"
                                                : arena_printf(r->arena, "'%.60s'", node->text);
    wrong(r, node->range, "'%s': expected %s, not %s", key, expectation(type), got);
}

typedef struct unit_row {
    const char *text;
    double divide, multiply;
    bool cycles;
} unit_row;
static const unit_row size_units[] = {{"B", 1, 1, false}, {"KiB", 1, 1024, false}, {"MiB", 1, 1048576, false}};
static const unit_row time_units[] = {{"cycles", 1, 1, true}, {"cycle", 1, 1, true}, {"ps", 1e12, 1, false},
                                      {"ns", 1e9, 1, false},  {"us", 1e6, 1, false}, {"ms", 1e3, 1, false},
                                      {"s", 1, 1, false}};

// A decimal number and what follows it; false when it does not start with one.
static bool scan(const char *text, double *value, const char **rest)
{
    size_t n = strspn(text, "0123456789.");
    if (n == 0 || strcspn(text, "0123456789") >= n)
        return false;
    char *end;
    *value = strtod(text, &end);
    *rest = end + strspn(end, " ");
    return isfinite(*value) && *value <= 1e15;
}

static bool read_scaled(const char *text, const unit_row *units, size_t count, double *value, bool *cycles)
{
    const char *rest;
    if (!scan(text, value, &rest))
        return false;
    for (size_t i = 0; i < count; i++)
        if (strcmp(rest, units[i].text) == 0) {
            *value = *value * units[i].multiply / units[i].divide;
            *cycles = units[i].cycles;
            return true;
        }
    return false;
}

static uint64_t read_whole(reader *r, const yaml_pair *pair, uint64_t least)
{
    const yaml_node *v = pair->value;
    double value;
    const char *rest;
    if (v->kind == YAML_SCALAR && scan(v->text, &value, &rest) && *rest == '\0' && value == floor(value) &&
        value >= (double)least)
        return (uint64_t)value;
    expected(r, v, pair->key->text, least == 0 ? VALUE_COUNT : VALUE_POSITIVE);
    return least;
}

static uint64_t read_size(reader *r, const yaml_pair *pair)
{
    double value;
    bool cycles;
    const yaml_node *v = pair->value;
    if (v->kind == YAML_SCALAR &&
        read_scaled(v->text, size_units, sizeof size_units / sizeof *size_units, &value, &cycles) &&
        value == floor(value) && value >= 1)
        return (uint64_t)value;
    expected(r, v, pair->key->text, VALUE_SIZE);
    return 1;
}

static machine_time read_time(reader *r, const yaml_pair *pair)
{
    machine_time t = {0};
    const yaml_node *v = pair->value;
    if (v->kind != YAML_SCALAR ||
        !read_scaled(v->text, time_units, sizeof time_units / sizeof *time_units, &t.amount, &t.in_cycles))
        expected(r, v, pair->key->text, VALUE_TIME);
    return t;
}

static bool read_bool(const yaml_pair *pair)
{
    return strcmp(pair->value->text, "true") == 0;
}

// ---- Mappings ----

static const yaml_pair *find(const yaml_node *mapping, const char *key)
{
    if (mapping != NULL && mapping->kind == YAML_MAPPING)
        for (VEC_EACH(const yaml_pair, pair, &mapping->pairs))
            if (strcmp(pair->key->text, key) == 0)
                return pair;
    return NULL;
}

static bool has_type(const yaml_node *v, value_type type)
{
    switch (type) {
    case VALUE_NAME: return v->kind == YAML_SCALAR && v->text[0] != '\0';
    case VALUE_BOOL: return v->kind == YAML_SCALAR && (strcmp(v->text, "true") == 0 || strcmp(v->text, "false") == 0);
    case VALUE_TEXT: return v->kind == YAML_SCALAR;
    case VALUE_LIST: return v->kind == YAML_SEQUENCE;
    case VALUE_MAPPING: return v->kind == YAML_MAPPING;
    default: return true; // numbers are looked at when they are read
    }
}

// Checks a mapping's keys: none unknown, none missing, of the right kind each. False when it cannot be read further.
static bool check_keys(reader *r, const yaml_node *mapping, const key_table *table, const char *what)
{
    if (mapping->kind != YAML_MAPPING) {
        expected(r, mapping, what, VALUE_MAPPING);
        return false;
    }
    bool ok = true;
    for (VEC_EACH(const yaml_pair, pair, &mapping->pairs)) {
        const char *names[16];
        const key_row *row = NULL;
        for (size_t i = 0; i < table->count; i++) {
            names[i] = table->rows[i].key;
            if (strcmp(names[i], pair->key->text) == 0)
                row = &table->rows[i];
        }
        if (row == NULL) {
            const char *near = diag_nearest(pair->key->text, names, table->count);
            wrong(r, pair->key->range,
                  near == NULL ? "a %s has no key '%.60s'%s" : "a %s has no key '%.60s'; did you mean '%s'?",
                  table->noun, pair->key->text, near == NULL ? "" : near);
        } else if (!has_type(pair->value, row->type)) {
            expected(r, pair->value, row->key, row->type);
            ok = false;
        }
    }
    for (size_t i = 0; i < table->count; i++)
        if (table->rows[i].required && find(mapping, table->rows[i].key) == NULL) {
            wrong(r, (src_range){mapping->range.file, mapping->range.begin, mapping->range.begin}, "%s needs '%s', %s",
                  what, table->rows[i].key, expectation(table->rows[i].type));
            ok = false;
        }
    return ok;
}

static const char *text_of(const yaml_node *mapping, const char *key)
{
    const yaml_pair *pair = find(mapping, key);
    return pair == NULL ? NULL : pair->value->text;
}

static src_range range_of(const yaml_node *mapping, const char *key)
{
    const yaml_pair *pair = find(mapping, key);
    return pair == NULL ? (src_range){0} : pair->value->range;
}

static uint64_t whole_of(reader *r, const yaml_node *mapping, const char *key, uint64_t least, uint64_t assumed)
{
    const yaml_pair *pair = find(mapping, key);
    return pair == NULL ? assumed : read_whole(r, pair, least);
}

// ---- Names ----

static size_t task_named(reader *r, const char *name, src_range range)
{
    graph *g = r->graph;
    VEC(const char *) names = {0};
    for (size_t i = 0; i < g->tasks.len; i++) {
        if (strcmp(g->tasks.data[i].name, name) == 0)
            return i;
        VEC_PUSH(r->arena, &names, g->tasks.data[i].name);
    }
    const char *near = diag_nearest(name, names.data, names.len);
    wrong(r, range, near == NULL ? "there is no task '%.60s'%s" : "there is no task '%.60s'; did you mean '%s'?", name,
          near == NULL ? "" : near);
    return 0;
}

static size_t stream_named(reader *r, const char *name, src_range range)
{
    graph *g = r->graph;
    VEC(const char *) names = {0};
    for (size_t i = 0; i < g->streams.len; i++) {
        if (strcmp(g->streams.data[i].name, name) == 0)
            return i;
        VEC_PUSH(r->arena, &names, g->streams.data[i].name);
    }
    const char *near = diag_nearest(name, names.data, names.len);
    wrong(r, range, near == NULL ? "there is no stream '%.60s'%s" : "there is no stream '%.60s'; did you mean '%s'?",
          name, near == NULL ? "" : near);
    return SIZE_MAX;
}

// ---- Streams ----

static graph_buffer read_buffer(reader *r, const yaml_node *node, const char *what)
{
    graph_buffer b = {.length = 1, .range = node->range};
    if (!check_keys(r, node, &buffer_keys, what))
        return b;
    b.memory_name = text_of(node, "memory");
    b.memory_range = range_of(node, "memory");
    b.length = whole_of(r, node, "length", 1, 1);
    b.history = whole_of(r, node, "history", 0, 0);
    if (b.history >= b.length)
        wrong(r, range_of(node, "history"), "the history of %llu elements leaves no room in a buffer of %llu",
              (unsigned long long)b.history, (unsigned long long)b.length);
    return b;
}

static void read_buffers(reader *r, const yaml_node *node, graph_stream *s)
{
    const yaml_pair *shared = find(node, "shared"), *producer = find(node, "producer"),
                    *consumer = find(node, "consumer");
    if (shared != NULL && (producer != NULL || consumer != NULL)) {
        wrong(r, shared->key->range,
              "stream '%s' has either one shared buffer or one of the producer and one of the consumer", s->name);
    } else if (shared != NULL) {
        s->shared = true;
        s->producer = s->consumer = read_buffer(r, shared->value, "a shared buffer");
    } else if (producer == NULL || consumer == NULL) {
        wrong(r, s->range, "stream '%s' needs buffers: 'producer' and 'consumer', or one that is 'shared'", s->name);
    } else {
        s->producer = read_buffer(r, producer->value, "a producer's buffer");
        s->consumer = read_buffer(r, consumer->value, "a consumer's buffer");
    }
}

static void read_stream(reader *r, const yaml_pair *entry)
{
    const yaml_node *node = entry->value;
    graph_stream s = {
        .name = entry->key->text, .range = entry->key->range, .element = 1, .push = 1, .pop = 1, .link = SIM_ROUTED};
    if (!check_keys(r, node, &stream_keys, arena_printf(r->arena, "stream '%.60s'", s.name)))
        return;
    s.element = read_size(r, find(node, "element"));
    s.from = task_named(r, text_of(node, "from"), range_of(node, "from"));
    s.to = task_named(r, text_of(node, "to"), range_of(node, "to"));
    s.push = whole_of(r, node, "push", 1, 1);
    s.pop = whole_of(r, node, "pop", 1, 1);
    s.prequeued = whole_of(r, node, "prequeue", 0, 0);
    s.link_name = text_of(node, "link");
    s.link_range = range_of(node, "link");
    s.fixed_link = s.link_name != NULL;
    read_buffers(r, node, &s);
    if (s.shared && s.fixed_link)
        wrong(r, s.link_range, "stream '%s' has a shared buffer, so nothing of it travels on a link", s.name);
    uint64_t room = s.consumer.length - s.consumer.history;
    if (s.prequeued > room && !r->failed)
        wrong(r, range_of(node, "prequeue"),
              "%llu prequeued elements do not fit the consumer's buffer, which has room for %llu",
              (unsigned long long)s.prequeued, (unsigned long long)room);
    VEC_PUSH(r->arena, &r->graph->streams, s);
}

// ---- Tasks ----

static void check_block(reader *r, const graph_port *port)
{
    const graph_stream *s = &r->graph->streams.data[port->stream];
    const graph_buffer *b = port->push ? &s->producer : &s->consumer;
    // A block that is sent must find room at the consumer's end too.
    const graph_buffer *least =
        port->push && s->consumer.length - s->consumer.history < b->length - b->history ? &s->consumer : b;
    uint64_t room = least->length - least->history;
    if (port->elements > room)
        wrong(r, port->range, "a block of %llu elements of stream '%s' does not fit its %s, which has room for %llu",
              (unsigned long long)port->elements, s->name,
              s->shared               ? "buffer"
              : least == &s->producer ? "producer's buffer"
                                      : "consumer's buffer",
              (unsigned long long)room);
}

static void add_port(reader *r, graph_subtask *sub, size_t stream, bool push, uint64_t elements, src_range range)
{
    const graph_stream *s = &r->graph->streams.data[stream];
    graph_port port = {stream, push, elements == 0 ? (push ? s->push : s->pop) : elements, range};
    for (VEC_EACH(const graph_port, p, &sub->acquire))
        if (p->stream == stream && p->push == push) {
            wrong(r, range, "stream '%s' is acquired twice; say how many 'elements' once", s->name);
            return;
        }
    check_block(r, &port);
    VEC_PUSH(r->arena, &sub->acquire, port);
}

// An item of 'acquire': a stream's name, or a mapping with more.
static void read_port(reader *r, graph_subtask *sub, size_t task, const yaml_node *item)
{
    const char *name = item->text;
    src_range range = item->range;
    bool push = false, told = item->kind == YAML_MAPPING;
    uint64_t elements = 0;
    if (told) {
        if (!check_keys(r, item, &port_keys, "an acquired block"))
            return;
        const yaml_pair *pushed = find(item, "push"), *popped = find(item, "pop");
        if ((pushed == NULL) == (popped == NULL)) {
            wrong(r, range, "an acquired block has one of 'push' and 'pop'");
            return;
        }
        push = pushed != NULL;
        name = (push ? pushed : popped)->value->text;
        range = (push ? pushed : popped)->value->range;
        elements = whole_of(r, item, "elements", 1, 0);
    } else if (item->kind != YAML_SCALAR) {
        expected(r, item, "acquire", VALUE_NAME);
        return;
    }
    size_t stream = stream_named(r, name, range);
    if (stream == SIZE_MAX)
        return;
    const graph_stream *s = &r->graph->streams.data[stream];
    const char *here = r->graph->tasks.data[task].name;
    if (!told && s->from == task && s->to == task)
        wrong(r, range, "stream '%s' both begins and ends at task '%s'; write {push: %s} or {pop: %s}", name, here,
              name, name);
    else if (told ? (push ? s->from : s->to) != task : s->from != task && s->to != task)
        wrong(r, range,
              told && push ? "task '%s' is not the producer of stream '%s'"
              : told       ? "task '%s' is not the consumer of stream '%s'"
                           : "task '%s' is at neither end of stream '%s'",
              here, name);
    else
        add_port(r, sub, stream, told ? push : s->from == task, elements, range);
}

static void read_release(reader *r, graph_subtask *sub, const yaml_pair *list)
{
    for (size_t i = 0; list == NULL && i < sub->acquire.len; i++)
        VEC_PUSH(r->arena, &sub->release, i);
    if (list == NULL)
        return;
    for (VEC_EACH(yaml_node *, item, &list->value->items)) {
        size_t found = SIZE_MAX;
        if ((*item)->kind != YAML_SCALAR) {
            expected(r, *item, "release", VALUE_NAME);
            continue;
        }
        for (size_t i = 0; i < sub->acquire.len; i++) {
            bool taken = false;
            for (VEC_EACH(const size_t, k, &sub->release))
                taken |= *k == i;
            if (!taken && found == SIZE_MAX &&
                strcmp(r->graph->streams.data[sub->acquire.data[i].stream].name, (*item)->text) == 0)
                found = i;
        }
        if (found == SIZE_MAX)
            wrong(r, (*item)->range, "'%.60s' is not acquired, or released twice", (*item)->text);
        else
            VEC_PUSH(r->arena, &sub->release, found);
    }
    if (sub->release.len != sub->acquire.len && !r->failed)
        wrong(r, list->value->range, "%zu of %zu acquired blocks are released; each is released once", sub->release.len,
              sub->acquire.len);
}

// Classes of operations as machine files name them, and how many of each.
static void read_operations(reader *r, graph_subtask *sub, const yaml_pair *list)
{
    const char *names[MACHINE_OP_COUNT];
    for (machine_operation op = 0; op < MACHINE_OP_COUNT; op++)
        names[op] = machine_operation_text(op);
    sub->operations_range = list->key->range;
    for (VEC_EACH(const yaml_pair, pair, &list->value->pairs)) {
        machine_operation op = 0;
        while (op < MACHINE_OP_COUNT && strcmp(names[op], pair->key->text) != 0)
            op++;
        const char *near = op == MACHINE_OP_COUNT ? diag_nearest(pair->key->text, names, MACHINE_OP_COUNT) : NULL;
        if (op < MACHINE_OP_COUNT)
            sub->operations[op] = read_whole(r, pair, 0);
        else
            wrong(r, pair->key->range,
                  near == NULL ? "there are no operations '%.60s'%s"
                               : "there are no operations '%.60s'; did you mean '%s'?",
                  pair->key->text, near == NULL ? "" : near);
    }
}

static bool has_time(const yaml_node *node)
{
    return find(node, "time") != NULL || find(node, "operations") != NULL;
}

static void read_subtask(reader *r, size_t task, const yaml_node *node)
{
    graph_subtask sub = {.repeat = whole_of(r, node, "repeat", 1, 1),
                         .live_registers = whole_of(r, node, "registers", 0, 0)};
    const yaml_pair *acquire = find(node, "acquire"), *time = find(node, "time"), *work = find(node, "operations");
    if (time != NULL)
        sub.time = read_time(r, time);
    if (work != NULL)
        read_operations(r, &sub, work);
    if (work == NULL && find(node, "registers") != NULL)
        wrong(r, range_of(node, "registers"), "'registers' are those live with 'operations', and there are none");
    if (acquire != NULL) {
        for (VEC_EACH(yaml_node *, item, &acquire->value->items))
            read_port(r, &sub, task, *item);
    } else { // all inputs, then all outputs
        for (int push = 0; push < 2; push++)
            for (size_t i = 0; i < r->graph->streams.len; i++)
                if ((push ? r->graph->streams.data[i].from : r->graph->streams.data[i].to) == task)
                    add_port(r, &sub, i, push, 0, r->graph->tasks.data[task].range);
    }
    if (!r->failed)
        read_release(r, &sub, find(node, "release"));
    VEC_PUSH(r->arena, &r->graph->tasks.data[task].subtasks, sub);
}

static void read_task_head(reader *r, const yaml_pair *entry)
{
    const yaml_node *node = entry->value;
    const char *what = arena_printf(r->arena, "task '%.60s'", entry->key->text);
    graph_task t = {.name = entry->key->text, .range = entry->key->range};
    if (check_keys(r, node, &task_keys, what)) {
        t.processor_name = text_of(node, "processor");
        t.processor_range = range_of(node, "processor");
        t.io = find(node, "io") != NULL && read_bool(find(node, "io"));
        t.stateless = find(node, "stateless") != NULL && read_bool(find(node, "stateless"));
        t.workers = whole_of(r, node, "workers", 1, 1);
        if (t.workers > 1 && !t.stateless)
            wrong(r, range_of(node, "workers"), "%s has workers, and is not said to be 'stateless: true'", what);
        const yaml_pair *list = find(node, "subtasks");
        static const char *const own[] = {"acquire", "release", "time", "operations", "registers", "repeat"};
        for (size_t i = 0; i < sizeof own / sizeof *own; i++)
            if (list != NULL && find(node, own[i]) != NULL)
                wrong(r, find(node, own[i])->key->range, "%s has 'subtasks', so '%s' belongs to each of them", what,
                      own[i]);
        if (list == NULL && !has_time(node))
            wrong(r, t.range, "%s needs 'time', %s, or 'operations', or 'subtasks'", what, expectation(VALUE_TIME));
    }
    VEC_PUSH(r->arena, &r->graph->tasks, t);
}

static void read_task_body(reader *r, size_t task, const yaml_node *node)
{
    const yaml_pair *list = find(node, "subtasks");
    if (list == NULL) {
        read_subtask(r, task, node);
        return;
    }
    if (list->value->items.len == 0)
        wrong(r, list->value->range, "task '%s' has no subtask", r->graph->tasks.data[task].name);
    for (VEC_EACH(yaml_node *, item, &list->value->items))
        if (check_keys(r, *item, &subtask_keys, "a subtask")) {
            if (!has_time(*item))
                wrong(r, (src_range){(*item)->range.file, (*item)->range.begin, (*item)->range.begin},
                      "a subtask needs 'time', %s, or 'operations'", expectation(VALUE_TIME));
            read_subtask(r, task, *item);
        }
}

// ---- Graphs ----

static bool acquires(const graph_task *t, size_t stream, bool push)
{
    for (VEC_EACH(const graph_subtask, sub, &t->subtasks))
        for (VEC_EACH(const graph_port, p, &sub->acquire))
            if (p->stream == stream && p->push == push)
                return true;
    return false;
}

// Every stream is used at both ends and all tasks are connected, so that one task that cannot go on stops all.
static void check_connected(reader *r)
{
    graph *g = r->graph;
    size_t *group = ARENA_ARRAY(r->arena, size_t, g->tasks.len);
    for (size_t i = 0; i < g->tasks.len; i++)
        group[i] = i;
    for (size_t i = 0; i < g->streams.len; i++) {
        const graph_stream *s = &g->streams.data[i];
        for (int push = 0; push < 2; push++) {
            const graph_task *t = &g->tasks.data[push ? s->from : s->to];
            if (!acquires(t, i, push))
                wrong(r, s->range, "task '%s' never %s stream '%s'", t->name, push ? "sends to" : "takes from",
                      s->name);
        }
        size_t from = s->from, to = s->to;
        while (group[from] != from)
            from = group[from] = group[group[from]];
        while (group[to] != to)
            to = group[to] = group[group[to]];
        group[from > to ? from : to] = from > to ? to : from;
    }
    for (size_t i = 1; i < g->tasks.len; i++)
        if (group[i] == i)
            wrong(r, g->tasks.data[i].range,
                  "task '%s' is not connected with task '%s' by streams; simulate them apart", g->tasks.data[i].name,
                  g->tasks.data[0].name);
}

// Once through all subtasks, with their repetitions.
static uint64_t subtasks_of(const graph_task *t)
{
    uint64_t sum = 0;
    for (VEC_EACH(const graph_subtask, sub, &t->subtasks))
        sum += sub->repeat;
    return sum;
}

// Unless told, an iteration is once through the last task that pushes nothing, else through the last.
static void read_iteration(reader *r, const yaml_node *root)
{
    graph *g = r->graph;
    const yaml_pair *pair = find(root, "iteration");
    g->iteration_task = g->tasks.len - 1;
    for (size_t i = 0; i < g->tasks.len; i++) {
        bool pushes = false;
        for (VEC_EACH(const graph_stream, s, &g->streams))
            pushes |= s->from == i && s->to != i;
        if (!pushes)
            g->iteration_task = i;
    }
    bool told = pair != NULL && check_keys(r, pair->value, &iteration_keys, "'iteration'");
    if (told)
        g->iteration_task = task_named(r, text_of(pair->value, "task"), range_of(pair->value, "task"));
    g->iteration_subtasks = subtasks_of(&g->tasks.data[g->iteration_task]);
    if (told)
        g->iteration_subtasks = whole_of(r, pair->value, "subtasks", 1, g->iteration_subtasks);
}

graph *graph_parse(arena *a, diag_engine *d, source_id file)
{
    const yaml_node *root = yaml_parse(a, d, file, "task graph", "graph: NAME");
    if (root == NULL)
        return NULL;
    graph *g = ARENA_NEW(a, graph);
    g->arena = a;
    reader r = {.arena = a, .diag = d, .graph = g};
    if (!check_keys(&r, root, &graph_keys, "a task graph"))
        return NULL;
    g->name = text_of(root, "graph");
    g->summary = find(root, "summary") == NULL ? "" : text_of(root, "summary");
    g->machine_name = text_of(root, "machine");
    g->machine_range = range_of(root, "machine");
    g->iterations = whole_of(&r, root, "iterations", 1, GRAPH_ITERATIONS);
    const yaml_node *tasks = find(root, "tasks")->value;
    if (tasks->pairs.len == 0)
        wrong(&r, tasks->range, "a task graph has at least one task");
    for (VEC_EACH(const yaml_pair, entry, &tasks->pairs))
        read_task_head(&r, entry);
    if (r.failed)
        return NULL;
    const yaml_pair *streams = find(root, "streams");
    if (streams != NULL)
        for (VEC_EACH(const yaml_pair, entry, &streams->value->pairs))
            read_stream(&r, entry);
    if (!r.failed)
        for (size_t i = 0; i < g->tasks.len; i++)
            read_task_body(&r, i, tasks->pairs.data[i].value);
    if (!r.failed)
        check_connected(&r);
    if (!r.failed)
        read_iteration(&r, root);
    return r.failed ? NULL : g;
}
