// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds machine files: by name in the folder that belongs to the running tool, or by path.
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "targets/machine_schema.h"
#include "targets/native.h"

typedef VEC(const char *) name_list;

static int compare_names(const void *x, const void *y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

// Names of the machines in the directory, sorted.
static name_list machine_names(arena *a, const char *directory)
{
    name_list names = {0};
    DIR *dir = directory == NULL ? NULL : opendir(directory);
    if (dir == NULL)
        return names;
    for (const struct dirent *e; (e = readdir(dir)) != NULL;) {
        size_t n = strlen(e->d_name);
        if (n > 5 && strcmp(e->d_name + n - 5, ".yaml") == 0)
            VEC_PUSH(a, &names, arena_strndup(a, e->d_name, n - 5));
    }
    closedir(dir);
    if (names.len > 1)
        qsort(names.data, names.len, sizeof *names.data, compare_names);
    return names;
}

static machine *load(arena *a, diag_engine *d, const char *path, const char *name, src_range used_at)
{
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
        diag_error(d, used_at, "cannot read machine file '%s': not a regular file", path);
        return NULL;
    }
    source_id file = source_read(d->sources, path);
    if (file == 0) {
        diag_error(d, used_at, "cannot read machine file '%s': %s", path, strerror(errno));
        return NULL;
    }
    machine *m = machine_parse(a, d, file);
    if (m != NULL && name != NULL && strcmp(m->name, name) != 0) {
        diag_error(d, machine_find_setting(m->entry, "machine")->value->range,
                   "this file is found as machine '%s', but describes '%s'", name, m->name);
        return NULL;
    }
    return m;
}

machine *machine_find(arena *a, diag_engine *d, const char *directory, const char *name, src_range used_at)
{
    if (machine_is_path(name))
        return load(a, d, name, NULL, used_at);
    if (strcmp(name, "native") == 0)
        return native_machine(a, d, directory, used_at);
    name_list names = machine_names(a, directory);
    for (VEC_EACH(const char *, known, &names))
        if (strcmp(*known, name) == 0)
            return load(a, d, arena_printf(a, "%s/%s.yaml", directory, name), name, used_at);
    VEC_PUSH(a, &names, "native");
    const char *near = diag_nearest(name, names.data, names.len);
    if (near != NULL)
        diag_error(d, used_at, "unknown machine '%s'; did you mean '%s'?", name, near);
    else
        diag_error(d, used_at,
                   "unknown machine '%s'; --list-machines lists them, and a path to a .yaml file is one too", name);
    return NULL;
}

void machine_list(arena *a, diag_engine *d, const char *directory, strbuf *out)
{
    name_list names = machine_names(a, directory);
    for (VEC_EACH(const char *, name, &names)) {
        const machine *m = machine_find(a, d, directory, *name, (src_range){0});
        if (m != NULL)
            strbuf_printf(out, "%-16s %s\n", m->name, m->summary);
    }
    strbuf_printf(out, "%-16s %s\n", "native", "this computer, with what svm-characterize measured on it");
}
