// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The way of a file through svm-check: read and checked as svm-llc does it, then followed.
#include "llc/check/check.h"

#include <errno.h>
#include <string.h>

#include "llc/check/model.h"
#include "llc/check/play.h"
#include "llc/contract/contract.h"
#include "llc/reader/reader.h"

#define CHECK_TOOL "svm-check"

static checker *new_checker(llc_session *s, llc_unit *unit)
{
    checker *c = ARENA_NEW(s->arena, checker);
    *c = (checker){.session = s, .unit = unit, .arena = s->arena};
    hmap_init(&c->variables, s->arena);
    hmap_init(&c->instances, s->arena);
    hmap_init(&c->instance_users, s->arena);
    hmap_init(&c->children, s->arena);
    hmap_init(&c->regions, s->arena);
    hmap_init(&c->classes, s->arena);
    hmap_init(&c->called, s->arena);
    return c;
}

static void follow(llc_session *s, llc_unit *unit)
{
    size_t before = s->diag->warning_count;
    checker *c = new_checker(s, unit);
    walk_unit(c);
    find_waits(c);
    find_order(c);
    find_space(c);
    find_budget(c);
    find_acquires(c);
    // What reading has found, playing would find again.
    if (c->main_found && s->diag->warning_count == before)
        play_program(c, c->main_function);
}

void check_set_up(llc_session *s, llc_unit *unit, check_layout *out)
{
    llc_session quiet = *s;
    quiet.diag = ARENA_NEW(s->arena, diag_engine);
    diag_init(quiet.diag, s->arena, s->diag->sources);
    checker *c = new_checker(&quiet, unit);
    walk_unit(c);
    if (c->main_found)
        play_set_up(c, c->main_function, out);
}

static bool check_one(llc_session *s, const char *path)
{
    if (llc_refuse_stream_program(s, CHECK_TOOL, path))
        return false;
    bool alone = s->options->inputs.len == 1;
    if (!llc_is_c(path) && !alone)
        return true;
    source_id file = source_read(s->diag->sources, path);
    if (file == 0) {
        diag_error_at(s->diag, CHECK_TOOL, "cannot read '%s': %s", path, strerror(errno));
        return false;
    }
    const source_file *source = source_get(s->diag->sources, file);
    if (!alone && !reader_is_svm_c(s, path, source->text, source->len))
        return true;
    llc_unit *unit = ARENA_NEW(s->arena, llc_unit);
    *unit = (llc_unit){.path = path, .file = file};
    bool good = reader_parse(s, unit);
    if (good) {
        good = reader_collect(s, unit);
        good = contract_check(s, unit) && good;
    }
    if (unit->machine != NULL && unit->tu != NULL && good)
        follow(s, unit);
    reader_close(unit);
    return good;
}

bool check_files(arena *a, diag_engine *d, const llc_options *options, const llc_environment *environment)
{
    llc_session s = {.arena = a, .diag = d, .options = options, .environment = environment};
    bool good = true;
    for (VEC_EACH(const char *, path, &options->inputs))
        good = check_one(&s, *path) && good;
    return good && !diag_has_errors(d);
}
