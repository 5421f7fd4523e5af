// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of finite filters for programs whose kernels are interpreted: they pass on what they are called with,
// and the text of the module stands in the program.
#include <string.h>

#include "hlc/emit/finite_int.h"

void finite_interpreted_module(finite_emitter *all)
{
    program_emitter *x = &all->x;
    strbuf text;
    strbuf_init(&text, x->e.arena);
    sir_print(&text, x->m);
    text_line(x, 0, "static const char *const module_text[] = { /* line by line: C bounds the length of a string */");
    for (const char *line = text.data; *line != '\0';) {
        const char *end = strchr(line, '\n');
        size_t length = end == NULL ? strlen(line) : (size_t)(end - line);
        strbuf quoted;
        strbuf_init(&quoted, x->e.arena);
        for (size_t i = 0; i < length; i++)
            strbuf_printf(&quoted, line[i] == '"' || line[i] == '\\' || line[i] == '?' ? "\\%c" : "%c", line[i]);
        strbuf_printf(x->e.out, "    \"%s\\n\",\n", quoted.data == NULL ? "" : quoted.data);
        line += length + (end != NULL);
    }
    text_line(x, 0, "};");
    text_line(x, 0, "static svm_BrookModule module = {module_text, sizeof module_text / sizeof *module_text, NULL};\n");
}

static void emit_arrays(finite_graph *g, bool partial)
{
    program_emitter *x = g->x;
    text_args uniforms = {0}, streams = {0};
    for (VEC_EACH(const uint32_t, u, &g->uniforms)) {
        bool by_pointer = g->filter->fields.data[*u].type->kind == SIR_STRUCT;
        const char *name = g->info->field_names.data[*u];
        VEC_PUSH(x->e.arena, &uniforms, by_pointer ? name : arena_printf(x->e.arena, "&%s", name));
    }
    if (uniforms.len > 0)
        text_call(x, 1, "const void *const written[] = {", &uniforms, "};");
    for (VEC_EACH(const finite_port, p, &g->ports)) {
        bool none = p->source->role == SIR_VARIABLE || (p->source->role == SIR_REDUCED && !partial);
        VEC_PUSH(x->e.arena, &streams, none ? "{0}" : p->name);
    }
    text_call(x, 1, "const svm_BrookStream streams[] = {", &streams, "};");
}

void finite_interpreted(finite_graph *g)
{
    program_emitter *x = g->x;
    bool reduces = g->reduced != NULL;
    const char *name = text_comment(x, g->filter->name);
    if (finite_is_never_one(g)) {
        finite_control(g);
        return;
    }
    finite_tables(g);
    finite_begin_function(g, reduces);
    emit_arrays(g, reduces);
    bool fused = finite_leave_unless_fused(g);
    text_line(x, 1, "svm_brookInterpret(at, &module, \"%s\", &%s, %s, streams, %s);", name, g->table,
              g->uniforms.len > 0 ? "written" : "NULL", g->variable != NULL ? g->variable->name : "NULL");
    if (fused)
        text_line(x, 1, "return true;");
    text_line(x, 0, "}\n");
    if (!reduces)
        return;
    finite_whole_reduction(g);
    if (!finite_has_one(g))
        return;
    text_line(x, 0, "void %s(const void *element, void *accumulator)", finite_function_name(g, "_one"));
    text_line(x, 0, "{");
    text_line(x, 1, "svm_brookInterpretOne(&module, \"%s\", element, accumulator);", name);
    text_line(x, 0, "}\n");
}
