// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stream programs that host code calls as if they were kernels: import "fir.str"; or import dsp.fir; makes the streams of the file known,
// each as a kernel that is declared elsewhere, with an input and an output.
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "lang/brook/brook.h"

// Beside the file that imports it, or in the first of the folders that has it; NULL with an error.
static const char *find(const brook_program *p, const brook_import *import)
{
    arena *a = p->arena;
    const char *name = import->name, *own = source_get(p->diags->sources, import->range.file)->name;
    const char *slash = strrchr(own, '/');
    const char *path =
        name[0] == '/' || slash == NULL ? name : arena_printf(a, "%.*s%s", (int)(slash + 1 - own), own, name);
    for (size_t i = 0; access(path, F_OK) != 0 && name[0] != '/' && i < p->folder_count; i++)
        path = arena_printf(a, "%s/%s", p->folders[i], name);
    if (access(path, F_OK) == 0)
        return path;
    diag_record *r = diag_error(p->diags, import->range, "cannot find '%s'", name);
    diag_add_note(p->diags, r, (src_range){0},
                  "it was looked for beside this file and in the folders of -I and of the library");
    return NULL;
}

brook_sources brook_find_imports(brook_program *p)
{
    brook_sources found = {0};
    hmap seen;
    hmap_init(&seen, p->arena);
    for (VEC_EACH(const brook_import, import, &p->imports)) {
        size_t len = strlen(import->name);
        if (len < 5 || strcmp(import->name + len - 4, ".str") != 0) {
            diag_error(p->diags, import->range,
                       "'%s' is no stream program: expected a file that ends in .str; kernels of other files are known "
                       "by '#include' of a .brh",
                       import->name);
            continue;
        }
        const char *path = find(p, import);
        if (path == NULL || hmap_get(&seen, path) != NULL)
            continue;
        hmap_set(&seen, path, p);
        source_set *sources = p->diags->sources;
        source_id id = source_read(sources, path);
        if (id == 0) {
            diag_error(p->diags, import->range, "cannot read '%s': %s", path,
                       errno == EFBIG ? "it is too large" : strerror(errno));
            continue;
        }
        sources->files.data[id].imported = import->range;
        VEC_PUSH(p->arena, &found, id);
    }
    return found;
}

// What an item is as an element; void: none.
static brook_type element_of(const lang_type *t)
{
    switch (t->kind) {
    case TYPE_FLOAT: return (brook_type){.element = BROOK_FLOAT, .width = 1};
    case TYPE_COMPLEX: return (brook_type){.element = BROOK_FLOAT, .width = 2};
    case TYPE_DOUBLE: return (brook_type){.element = BROOK_DOUBLE, .width = 1};
    case TYPE_INT: return (brook_type){.element = BROOK_INT, .width = 1};
    default: return (brook_type){.element = BROOK_VOID, .width = 1};
    }
}

static void add_param(const brook_program *p, brook_kernel *k, brook_var_kind kind, const char *name,
                      const lang_type *type)
{
    brook_var *v = ARENA_NEW(p->arena, brook_var);
    *v = (brook_var){.kind = kind,
                     .name = name,
                     .type = element_of(type),
                     .range = k->range,
                     .type_range = k->range,
                     .whole = kind == BROOK_OUTPUT};
    if (v->type.element == BROOK_VOID && k->unfit == NULL)
        k->unfit = arena_printf(p->arena, "its items are '%s'; expected float, int, double or complex",
                                lang_type_name(p->arena, type));
    VEC_PUSH(p->arena, &k->params, v);
}

static brook_kernel *declare(const brook_program *p, const ast_stream *s)
{
    brook_kernel *k = ARENA_NEW(p->arena, brook_kernel);
    *k = (brook_kernel){.name = s->name,
                        .range = s->type_range,
                        .name_range = s->name_range,
                        .result = {.element = BROOK_VOID, .width = 1},
                        .stream = s,
                        .file = s->name_range.file};
    for (VEC_EACH(ast_var *const, param, &s->params))
        if (!lang_type_is_real((*param)->type) && (*param)->type->kind != TYPE_BOOLEAN && k->unfit == NULL)
            k->unfit =
                arena_printf(p->arena,
                             "its parameter '%s' is '%s', and host code gives numbers alone: add a stream around "
                             "it that gives that",
                             (*param)->name, lang_type_name(p->arena, (*param)->type));
    if (k->unfit == NULL && s->output->kind == TYPE_VOID)
        k->unfit = "it gives no items";
    if (s->input->kind != TYPE_VOID)
        add_param(p, k, BROOK_INPUT, "input", s->input);
    if (s->output->kind != TYPE_VOID)
        add_param(p, k, BROOK_OUTPUT, "output", s->output);
    return k;
}

void brook_declare_streams(brook_program *p, const ast_program *streams)
{
    for (VEC_EACH(ast_stream *const, it, &streams->streams)) {
        if ((*it)->imported)
            continue;
        brook_kernel *k = declare(p, *it);
        const brook_kernel *before = hmap_get(&p->kernel_names, k->name);
        if (before != NULL && before->body != NULL) {
            diag_record *r = diag_error(p->diags, before->name_range, "kernel '%s' has the name of a stream", k->name);
            diag_add_note(p->diags, r, k->name_range, "the stream is declared here");
            continue;
        }
        hmap_set(&p->kernel_names, k->name, k);
        VEC_PUSH(p->arena, &p->kernels, k);
    }
}
