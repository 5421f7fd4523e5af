// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Is a C file SVM C? It is when SVM_MACHINE stands in it, or in a file that it includes by a name in quotes.
#include <ctype.h>
#include <string.h>

#include "llc/llc.h"
#include "llc/reader/reader.h"
#include "support/file.h"
#include "support/hmap.h"

enum { CLASSIFY_DEPTH = 50 };
#define CLASSIFY_BYTES ((size_t)1 << 24) // of one file: more is no header that a person wrote

typedef struct classifier {
    const llc_session *session;
    hmap seen; // paths
} classifier;

static bool mentions(classifier *c, const char *path, const char *text, size_t len, int depth);

// "dir/" of a path, or "".
static const char *folder_of(arena *a, const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? "" : arena_strndup(a, path, (size_t)(slash - path) + 1);
}

static bool look_into(classifier *c, const char *path, int depth)
{
    char *text;
    size_t len;
    if (hmap_get(&c->seen, path) != NULL)
        return false;
    hmap_set(&c->seen, path, c);
    return file_read_limited(c->session->arena, path, CLASSIFY_BYTES, true, &text, &len) &&
           mentions(c, path, text, len, depth);
}

static bool look_for(classifier *c, const char *from, const char *name, int depth)
{
    arena *a = c->session->arena;
    if (name[0] == '/')
        return look_into(c, name, depth);
    if (look_into(c, arena_printf(a, "%s%s", folder_of(a, from), name), depth))
        return true;
    for (VEC_EACH(const char *, dir, &c->session->options->includes))
        if (look_into(c, arena_printf(a, "%s/%s", *dir, name), depth))
            return true;
    return false;
}

// The end of a comment that begins at p; the end of the text if it has none.
static const char *comment_end(const char *p, const char *end)
{
    for (const char *q = p + 2; q < end; q++)
        if (p[1] == '/' ? *q == '\n' : q[0] == '*' && q + 1 < end && q[1] == '/')
            return p[1] == '/' ? q : q + 1;
    return end;
}

static const char *string_end(const char *p, const char *end)
{
    for (p++; p < end && *p != '"' && *p != '\n'; p++)
        p += *p == '\\';
    return p < end ? p : end;
}

static bool mentions(classifier *c, const char *path, const char *text, size_t len, int depth)
{
    static const char wanted[] = "SVM_MACHINE";
    const char *end = text + len;
    bool include = false; // "#include" came before
    for (const char *p = text; p < end; p++) {
        if (*p == '/' && p + 1 < end && (p[1] == '/' || p[1] == '*')) {
            p = comment_end(p, end);
        } else if (*p == '"') {
            const char *close = string_end(p, end);
            if (include && depth < CLASSIFY_DEPTH &&
                look_for(c, path, arena_strndup(c->session->arena, p + 1, (size_t)(close - p - 1)), depth + 1))
                return true;
            include = false;
            p = close;
        } else if (isalpha((unsigned char)*p) || *p == '_') {
            size_t letters = 1;
            while (p + letters < end && (isalnum((unsigned char)p[letters]) || p[letters] == '_'))
                letters++;
            if (letters == sizeof wanted - 1 && memcmp(p, wanted, letters) == 0)
                return true;
            include = letters == 7 && memcmp(p, "include", 7) == 0;
            p += letters - 1;
        } else if (!isspace((unsigned char)*p)) {
            include = false;
        }
    }
    return false;
}

bool reader_is_svm_c(const llc_session *s, const char *path, const char *text, size_t len)
{
    classifier c = {.session = s};
    hmap_init(&c.seen, s->arena);
    return mentions(&c, path, text, len, 0);
}
