// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elaboration from the globals to the finished module.
#include "hlc/elaborate/elaborate.h"

#include "hlc/elaborate/elab.h"

static void set_scalar_types(elab *x)
{
    static const struct {
        lang_type_kind from;
        sir_type_kind to;
    } table[] = {
        {TYPE_BOOLEAN, SIR_BOOLEAN}, {TYPE_BIT, SIR_BIT},         {TYPE_INT, SIR_INT},    {TYPE_FLOAT, SIR_FLOAT},
        {TYPE_DOUBLE, SIR_DOUBLE},   {TYPE_COMPLEX, SIR_COMPLEX}, {TYPE_PORTAL, SIR_INT}, // its number
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        x->scalar_of[table[i].from] = x->module->scalar[table[i].to];
}

static void init_maps(elab *x)
{
    hmap *maps[] = {&x->structs,      &x->contents, &x->filters,      &x->filter_names,
                    &x->global_names, &x->mutated,  &x->number_files, &x->functions};
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++)
        hmap_init(maps[i], x->scratch);
    strbuf_init(&x->key, x->scratch);
    strbuf_init(&x->content_key, x->scratch);
}

static void run_static_init(elab *x, const ast_function *init)
{
    elab_mark mark = elab_mark_here(x);
    x->function = init;
    x->frame = elab_push(x, (init->locals.len + 1) * sizeof *x->frame);
    elab_exec(x, init->body);
    x->function = NULL;
    x->frame = NULL;
    elab_release(x, mark);
}

// Block by block the initialisers in textual order, then the init block.
static bool run_globals(elab *x)
{
    const ast_program *p = x->program;
    x->globals = elab_push(x, (p->globals.len + 1) * sizeof *x->globals);
    x->globals_open = true;
    for (size_t i = 0; i < p->statics.len && !x->failed; i++) {
        const ast_static *block = p->statics.data[i];
        for (size_t k = 0; k < block->globals.len; k++)
            if (!elab_declare(x, &x->globals[block->globals.data[k]->index], block->globals.data[k]))
                return false;
        if (block->init != NULL)
            run_static_init(x, block->init);
    }
    x->globals_open = false;
    return !x->failed;
}

static void run(void *arg, const char *stack_end)
{
    elab *x = arg;
    x->stack_end = stack_end;
    strbuf printed;
    strbuf_init(&printed, x->arena);
    x->printed = &printed;
    elab_push(x, 1); // so that every mark has a chunk
    elab_find_mutations(x);
    const ast_stream *top = x->test != NULL ? x->test->test->stream : x->program->top;
    elab_loc(x, top->range); // its file is the module's first
    if (!run_globals(x))
        return;
    x->top = elab_build_top(x, top);
    if (x->top == NULL || x->failed || !elab_lower_pending(x) || !elab_make_graph(x))
        return;
    if (x->test != NULL && !elab_test_values(x))
        return;
    x->module->init_text = printed.data;
    x->module->init_text_len = printed.len;
}

sir_module *elaborate(arena *a, interner *names, diag_engine *d, const ast_program *program,
                      const elaborate_options *options)
{
    elaborate_test *test = options != NULL ? options->test : NULL;
    if (test == NULL && program->top == NULL) {
        diag_error_at(d, NULL, "the program has no top-level stream");
        return NULL;
    }
    elab x = {.arena = a,
              .scratch = arena_create(),
              .diags = d,
              .program = program,
              .test = test,
              .module = sir_module_create(a, names, test != NULL ? test->test->name : program->top->name),
              .step_limit = options != NULL && options->step_limit != 0 ? options->step_limit : ELAB_DEFAULT_STEPS,
              .depth_limit = options != NULL && options->depth_limit != 0 ? options->depth_limit : ELAB_DEFAULT_DEPTH,
              .global_random = ELAB_RANDOM_SEED};
    set_scalar_types(&x);
    init_maps(&x);
    elab_on_deep_stack(run, &x);
    arena_destroy(x.scratch);
    return x.failed ? NULL : x.module;
}
