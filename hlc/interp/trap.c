// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Run-time errors of the interpreted program.
#include "hlc/interp/interp_int.h"

static const char *items(arena *a, int64_t n)
{
    return arena_printf(a, "%lld item%s", (long long)n, n == 1 ? "" : "s");
}

static diag_record *report_index(const vm *v, diag_engine *d, src_range range, const sir_expr *e)
{
    strbuf name;
    strbuf_init(&name, v->arena);
    if (e != NULL && e->kind == SIR_INDEX)
        sir_describe(&name, v->program->m, v->trap_function->filter, v->trap_function->source, e->u.arg[0]);
    return diag_error(d, range, "index %lld is outside '%s' of %lld element%s in '%s'", (long long)v->trap_value,
                      name.data, (long long)v->trap_limit, v->trap_limit == 1 ? "" : "s", v->actor->source->name);
}

// The note that names the calls between the firing and the error, the innermost first.
static void note_calls(const vm *v, diag_engine *d, diag_record *r)
{
    size_t shown = v->calls.len < 3 ? v->calls.len : 3;
    for (size_t i = 0; i < shown; i++) {
        const vm_call *call = &v->calls.data[v->calls.len - 1 - i];
        if (call->next == NULL)
            continue;
        size_t at = (size_t)(call->next - 1 - call->function->code.data);
        diag_add_note(d, r, sir_range(v->program->m, d->sources, call->function->origin.data[at].loc),
                      "called from here");
    }
}

void vm_report_trap(vm *v, diag_engine *d)
{
    const vm_function *f = v->trap_function;
    const vm_origin *origin = &f->origin.data[v->trap_at];
    src_range range = sir_range(v->program->m, d->sources, origin->loc);
    const char *actor = v->actor->source->name;
    diag_record *r = NULL;
    switch (v->trap) {
    case VM_TRAP_NONE: return;
    case VM_TRAP_INDEX: r = report_index(v, d, range, origin->expr); break;
    case VM_TRAP_DIVIDE: r = diag_error(d, range, "division by zero in '%s'", actor); break;
    case VM_TRAP_POP:
        r = diag_error(d, range, "'%s' pops more than the %s a firing that it declares", actor,
                       items(v->arena, v->trap_limit));
        break;
    case VM_TRAP_PUSH:
        r = diag_error(d, range, "'%s' pushes more than the %s a firing that it declares", actor,
                       items(v->arena, v->trap_limit));
        break;
    case VM_TRAP_PUSHED:
        r = diag_error(d, range, "'%s' pushed %s in a firing and declares %lld", actor, items(v->arena, v->trap_value),
                       (long long)v->trap_limit);
        break;
    case VM_TRAP_CALL_POPPED:
    case VM_TRAP_CALL_PUSHED: {
        bool push = v->trap == VM_TRAP_CALL_PUSHED;
        r = diag_error(d, range, "'%s' %s %s in a call of '%s' and declares %s", actor, push ? "pushed" : "popped",
                       items(v->arena, v->trap_value), f->source->name,
                       sir_rate_text(v->arena, push ? &f->source->push : &f->source->pop));
        break;
    }
    case VM_TRAP_PEEK:
        r = diag_error(d, range, "peek(%lld) in '%s' is outside the window, of which %s %s left",
                       (long long)v->trap_value, actor, items(v->arena, v->trap_limit),
                       v->trap_limit == 1 ? "is" : "are");
        break;
    case VM_TRAP_DEPTH:
        r = diag_error(d, range,
                       "functions call each other too deeply in '%s': more than %d calls, or too much memory in them",
                       actor, VM_MAX_CALLS);
        break;
    case VM_TRAP_NATIVE:
        r = diag_error(d, range, "'%s' calls the native function '%s', and native functions cannot be interpreted",
                       actor, v->program->functions.data[v->trap_value]->source->name);
        diag_add_note(d, r, (src_range){0, 0, 0}, "compile the program instead");
        break;
    case VM_TRAP_MISSED:
        r = diag_error(d, range,
                       "missed message delivery: with latency %lld, a receiver has passed the firing before which the "
                       "message of '%s' is due",
                       (long long)v->trap_value, actor);
        break;
    }
    note_calls(v, d, r);
}
