// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs of many files: from 'import' to a file, each read once. The files that are being read, from the one named to
// the tool to the last one imported, are a stack: an import of one of them is a cycle, which is refused.
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lang/brook/filters.h"
#include "lang/streamit/parse.h"
#include "lang/streamit/streamit.h"
#include "support/file.h"
#include "support/strbuf.h"

// A file to read, and why.
typedef struct import_target {
    const char *path;
    const char *root; // the folder from which packages are named there
    src_range range;  // of the import
    bool one_of_many; // of a folder's files
} import_target;
typedef VEC(import_target) target_list;

// A file that was read. Files of equal device and number are one, whatever their names.
typedef struct import_file {
    const char *path;
    const char *root;
    dev_t device;
    ino_t number;
    bool known; // device and number are
    bool open;  // it, or what it imports, is being read
    bool read;
    source_id id;    // of a file named to the tool, which is in memory
    src_range range; // of the import that led here
    target_list imports;
    size_t next; // of imports
    ast_static *statics;
} import_file;

typedef struct loader {
    parse_context *ctx;
    const streamit_path *path;
    VEC(import_file *) files, stack;
    VEC(source_id) brook; // files of kernels
} loader;

typedef VEC(const char *) name_list;

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// The .str files of a folder, in order of their names; none if it cannot be read.
static name_list list_folder(arena *a, const char *folder)
{
    name_list names = {0};
    DIR *d = opendir(folder);
    if (d == NULL)
        return names;
    for (const struct dirent *e; (e = readdir(d)) != NULL;) {
        size_t len = strlen(e->d_name);
        if (e->d_name[0] != '.' && len > 4 && strcmp(e->d_name + len - 4, ".str") == 0)
            VEC_PUSH(a, &names, arena_strdup(a, e->d_name));
    }
    closedir(d);
    if (names.len > 1)
        qsort(names.data, names.len, sizeof *names.data, compare_names);
    return names;
}

static const char *join(arena *a, const char *folder, const char *name)
{
    bool here = strcmp(folder, ".") == 0;
    if (name[0] == '/' || (here && strcmp(name, "-") != 0)) // "-" alone would be standard input
        return name;
    return arena_printf(a, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", name);
}

static const char *folder_of(arena *a, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        return ".";
    return slash == path ? "/" : arena_strndup(a, path, (size_t)(slash - path));
}

// The folders to look in: the importing file's, the one from which it was imported itself, so that files of a package
// can name each other as others do, and those of the path.
static name_list folders_for(const loader *l, const import_file *importer, const parsed_import *import)
{
    arena *a = l->ctx->arena;
    name_list folders = {0};
    VEC_PUSH(a, &folders, folder_of(a, importer->path));
    bool absolute = import->name[0] == '/';
    if (!absolute && strcmp(importer->root, folders.data[0]) != 0)
        VEC_PUSH(a, &folders, importer->root);
    for (size_t i = 0; !absolute && i < l->path->count; i++)
        if (strcmp(importer->root, l->path->folders[i]) != 0)
            VEC_PUSH(a, &folders, l->path->folders[i]);
    return folders;
}

// The name that is most like the one that was not found, as the import would have it.
static const char *nearest_import(const loader *l, const parsed_import *import, const name_list *folders)
{
    arena *a = l->ctx->arena;
    const char *slash = strrchr(import->name, '/'), *base = slash == NULL ? import->name : slash + 1;
    const char *within = slash == NULL ? "." : arena_strndup(a, import->name, (size_t)(slash - import->name));
    name_list all = {0};
    for (VEC_EACH(const char *, folder, folders)) {
        name_list some = list_folder(a, strcmp(within, ".") == 0 ? *folder : join(a, *folder, within));
        for (VEC_EACH(const char *, name, &some))
            VEC_PUSH(a, &all, import->package ? arena_strndup(a, *name, strlen(*name) - 4) : *name);
    }
    return diag_nearest(base, all.data, all.len);
}

// As it is written: "dsp/fir" of a package is "dsp.fir".
static const char *written(const loader *l, const parsed_import *import, const char *path)
{
    char *name = arena_strdup(l->ctx->arena, path);
    for (char *c = name; import->package && *c != '\0'; c++)
        if (*c == '/')
            *c = '.';
    return name;
}

// empty: a folder of that name without .str files, or NULL.
static void report_missing(const loader *l, const parsed_import *import, const name_list *folders, const char *empty)
{
    diag_engine *d = l->ctx->diags;
    const char *nearest = nearest_import(l, import, folders), *slash = strrchr(import->name, '/');
    if (nearest != NULL && slash != NULL)
        nearest = arena_printf(l->ctx->arena, "%.*s%s", (int)(slash + 1 - import->name), import->name, nearest);
    diag_record *r = diag_error(d, import->range, "cannot find '%s'%s%s%s", written(l, import, import->name),
                                nearest != NULL ? "; did you mean '" : "",
                                nearest != NULL ? written(l, import, nearest) : "", nearest != NULL ? "'?" : "");
    strbuf list;
    strbuf_init(&list, l->ctx->arena);
    for (size_t i = 0; i < folders->len; i++)
        strbuf_printf(&list, "%s'%s'", i == 0 ? "" : i + 1 < folders->len ? ", " : " and ", folders->data[i]);
    if (empty != NULL)
        diag_add_note(d, r, (src_range){0}, "there are no .str files in the folder '%s'", empty);
    diag_add_note(d, r, (src_range){0}, "it was looked for in %s; -I DIR adds a folder", list.data);
    l->ctx->program->broken = true; // what is not there is not told of each use
}

// False when there is nothing in it: another one may be meant.
static bool add_folder(const loader *l, const parsed_import *import, const char *folder, target_list *out,
                       const char **empty)
{
    arena *a = l->ctx->arena;
    name_list names = list_folder(a, folder);
    for (VEC_EACH(const char *, name, &names))
        VEC_PUSH(a, out, (import_target){join(a, folder, *name), NULL, import->range, true});
    if (names.len == 0)
        *empty = folder;
    return names.len > 0;
}

// Whether there is something under this name, which then is in out or was reported.
static bool find_at(const loader *l, const parsed_import *import, const char *path, bool folders_only, target_list *out,
                    const char **empty)
{
    struct stat st;
    if (stat(path, &st) != 0) {
        if (errno == ENOENT || errno == ENOTDIR)
            return false;
        diag_error(l->ctx->diags, import->range, "cannot read '%s': %s", path, strerror(errno));
        return true;
    }
    if (S_ISDIR(st.st_mode))
        return add_folder(l, import, path, out, empty);
    if (folders_only)
        return false;
    if (S_ISREG(st.st_mode))
        VEC_PUSH(l->ctx->arena, out, (import_target){path, NULL, import->range, false});
    else
        diag_error(l->ctx->diags, import->range, "'%s' is no file: files and folders can be imported", path);
    return true;
}

static void find_import(const loader *l, const import_file *importer, const parsed_import *import, target_list *out)
{
    arena *a = l->ctx->arena;
    if (l->path == NULL) {
        diag_error(l->ctx->diags, import->range, "files cannot be imported here");
        return;
    }
    size_t before = out->len;
    const char *empty = NULL;
    name_list folders = folders_for(l, importer, import);
    for (size_t i = 0; i < folders.len; i++) {
        const char *path = join(a, folders.data[i], import->name);
        if (!(import->package && find_at(l, import, arena_printf(a, "%s.str", path), false, out, &empty)) &&
            !find_at(l, import, path, import->package, out, &empty))
            continue;
        bool absolute = import->name[0] == '/', neighbour = i == 0; // which is in the same package
        for (size_t k = before; k < out->len; k++)
            out->data[k].root = absolute    ? folder_of(a, out->data[k].path)
                                : neighbour ? importer->root
                                            : folders.data[i];
        return;
    }
    report_missing(l, import, &folders, empty);
}

// All that the file imports has been read: its globals come after theirs.
static void close_file(loader *l)
{
    import_file *f = VEC_LAST(&l->stack);
    ast_program *program = l->ctx->program;
    f->open = false;
    l->stack.len--;
    if (f->statics == NULL)
        return;
    VEC_PUSH(l->ctx->arena, &program->statics, f->statics);
    for (VEC_EACH(ast_var *, g, &f->statics->globals))
        VEC_PUSH(l->ctx->arena, &program->globals, *g);
}

static import_file *find_file(const loader *l, const struct stat *st)
{
    for (VEC_EACH(import_file *, f, &l->files))
        if ((*f)->known && (*f)->device == st->st_dev && (*f)->number == st->st_ino)
            return *f;
    return NULL;
}

static import_file *add_file(loader *l, const char *path, const char *root, src_range range)
{
    struct stat st;
    bool known = stat(path, &st) == 0;
    import_file *f = known ? find_file(l, &st) : NULL;
    if (f != NULL)
        return f;
    f = ARENA_NEW(l->ctx->arena, import_file);
    *f = (import_file){.path = path, .root = root, .known = known, .range = range};
    if (known) {
        f->device = st.st_dev;
        f->number = st.st_ino;
    }
    VEC_PUSH(l->ctx->arena, &l->files, f);
    return f;
}

// Parses a file and begins with what it imports.
static void open_file(loader *l, import_file *f, source_id id)
{
    f->open = f->read = true;
    l->ctx->imported = f->range.file != 0;
    parse_file(l->ctx, id);
    f->statics = l->ctx->statics;
    for (VEC_EACH(const parsed_import, import, &l->ctx->imports))
        find_import(l, f, import, &f->imports);
    VEC_PUSH(l->ctx->arena, &l->stack, f);
}

static void report_cycle(const loader *l, const import_file *f, src_range range)
{
    diag_engine *d = l->ctx->diags;
    const import_file *last = VEC_LAST(&l->stack);
    if (f == last) {
        diag_error(d, range, "'%s' imports itself", f->path);
        return;
    }
    diag_record *r =
        diag_error(d, range, "'%s' imports '%s', from which it is imported itself: move what both need to a third file",
                   last->path, f->path);
    bool within = false;
    for (VEC_EACH(import_file *, s, &l->stack)) {
        if (within)
            diag_add_note(d, r, (*s)->range, "'%s' is imported here", (*s)->path);
        within |= *s == f;
    }
}

static bool is_brook(const char *path)
{
    static const char *const ends[] = {".br", ".brh", ".bri"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; i < sizeof ends / sizeof *ends && dot != NULL; i++)
        if (strcmp(dot, ends[i]) == 0)
            return true;
    return false;
}

static void import(loader *l, const import_target *target)
{
    source_set *sources = l->ctx->diags->sources;
    import_file *f = add_file(l, target->path, target->root, target->range);
    if (f->open && target->one_of_many && f == VEC_LAST(&l->stack))
        return; // a file that imports the folder that it is in
    if (f->open)
        report_cycle(l, f, target->range);
    if (f->read)
        return;
    source_id id = f->id != 0 ? f->id : source_read(sources, target->path);
    if (id == 0) {
        f->read = true;
        l->ctx->program->broken = true;
        diag_error(l->ctx->diags, target->range, "cannot read '%s': %s", target->path,
                   errno == EFBIG ? "it is too large" : strerror(errno));
        return;
    }
    if (f->id == 0)
        sources->files.data[id].imported = target->range;
    if (is_brook(target->path)) { // they know nothing of stream programs, and are read together
        f->read = true;
        VEC_PUSH(l->ctx->arena, &l->brook, id);
        return;
    }
    open_file(l, f, id);
}

// The kernels of imported Brook files.
static void read_brook(const loader *l)
{
    parse_context *ctx = l->ctx;
    if (l->brook.len == 0)
        return;
    size_t errors = ctx->diags->error_count;
    const brook_surroundings around = {l->path->folders, l->path->count, l->path->defines, l->path->define_count};
    brook_program *brook = brook_parse(ctx->arena, ctx->names, ctx->diags, l->brook.data, l->brook.len, &around);
    brook_check(brook);
    ctx->program->broken |= ctx->diags->error_count != errors;
    brook_declare_filters(brook, ctx->program);
}

ast_program *streamit_parse(arena *a, interner *names, diag_engine *d, const source_id *files, size_t count,
                            const streamit_path *path)
{
    ast_program *program = ARENA_NEW(a, ast_program);
    program->arena = a;
    parse_context ctx = {.arena = a, .names = names, .diags = d, .program = program};
    loader l = {.ctx = &ctx, .path = path};
    import_file **named = ARENA_ARRAY(a, import_file *, count);
    for (size_t i = 0; i < count; i++) { // before any is read: what is named is not imported
        const char *name = source_get(d->sources, files[i])->name;
        named[i] = add_file(&l, name, folder_of(a, name), (src_range){0});
        named[i]->id = files[i];
    }
    for (size_t i = 0; i < count; i++) {
        if (named[i]->read)
            continue;
        open_file(&l, named[i], named[i]->id);
        while (l.stack.len > 0) {
            import_file *f = VEC_LAST(&l.stack);
            if (f->next < f->imports.len) {
                const import_target target = f->imports.data[f->next++];
                import(&l, &target);
            } else {
                close_file(&l);
            }
        }
    }
    read_brook(&l);
    return program;
}

// ---- Hints ----

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Whether a text declares a stream: the word before its name says so.
static bool declares(const char *text, const char *name)
{
    static const char *const kinds[] = {"filter", "pipeline", "splitjoin", "feedbackloop"};
    size_t len = strlen(name);
    for (const char *at = text; (at = strstr(at, name)) != NULL; at += len) {
        const char *end = at;
        while (end > text && (end[-1] == ' ' || end[-1] == '\n' || end[-1] == '\t' || end[-1] == '\r'))
            end--;
        if (end == at || is_word(at[len]))
            continue;
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
            size_t n = strlen(kinds[i]);
            if ((size_t)(end - text) > n && memcmp(end - n, kinds[i], n) == 0 && !is_word(end[-(ptrdiff_t)n - 1]))
                return true;
        }
    }
    return false;
}

// The file of a folder that declares it, as a package's name behind prefix.
static const char *declared_in_folder(arena *a, const char *folder, const char *prefix, const char *name)
{
    enum { MOST_BYTES = 1 << 20 };
    name_list files = list_folder(a, folder);
    for (VEC_EACH(const char *, file, &files)) {
        char *text;
        size_t len;
        if (file_read_limited(a, join(a, folder, *file), MOST_BYTES, true, &text, &len) && declares(text, name))
            return arena_printf(a, "%s%.*s", prefix, (int)strlen(*file) - 4, *file);
    }
    return NULL;
}

const char *streamit_declared_in(arena *a, const streamit_path *path, const char *name)
{
    for (size_t i = 0; path != NULL && i < path->count; i++) {
        const char *found = declared_in_folder(a, path->folders[i], "", name);
        name_list inner = {0};
        DIR *d = found == NULL ? opendir(path->folders[i]) : NULL;
        for (const struct dirent *e; d != NULL && (e = readdir(d)) != NULL;)
            if (e->d_name[0] != '.' &&
                e->d_name[strspn(e->d_name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] == '\0')
                VEC_PUSH(a, &inner, arena_strdup(a, e->d_name));
        if (d != NULL)
            closedir(d);
        if (inner.len > 1)
            qsort(inner.data, inner.len, sizeof *inner.data, compare_names);
        for (size_t k = 0; k < inner.len && found == NULL; k++)
            found = declared_in_folder(a, join(a, path->folders[i], inner.data[k]),
                                       arena_printf(a, "%s.", inner.data[k]), name);
        if (found != NULL)
            return found;
    }
    return NULL;
}
