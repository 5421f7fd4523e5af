// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Child processes and temporary files.
#include "driver/process.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver/options.h"

struct process_session {
    arena *arena; // its own: it lives until exit, when the compiler's arenas may be gone
    diag_engine *diags;
    process_settings settings;
    sigset_t waited_for, old_mask;
    const char *folder;            // of the temporary files; NULL before the first
    VEC(const char *) temporaries; // paths given out
    bool open;
};

void process_ignore_write_signals(void)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

static void remove_temporaries(process_session *s)
{
    if (s->folder == NULL)
        return;
    DIR *dir = opendir(s->folder); // a child may have left files of its own there
    for (struct dirent *e; dir != NULL && (e = readdir(dir)) != NULL;)
        unlinkat(dirfd(dir), e->d_name, 0); // fails for "." and ".."
    if (dir != NULL)
        closedir(dir);
    rmdir(s->folder);
    s->folder = NULL;
}

static void at_exit(int status, void *session)
{
    (void)status;
    process_session *s = session;
    remove_temporaries(s);
    arena_destroy(s->arena);
}

process_session *process_open(diag_engine *d, const process_settings *settings)
{
    arena *a = arena_create();
    process_session *s = ARENA_NEW(a, process_session);
    s->arena = a;
    s->diags = d;
    s->settings = *settings;
    s->open = true;
    signal(SIGCHLD, SIG_DFL); // it may be ignored by inheritance, and then children cannot be waited for
    sigemptyset(&s->waited_for);
    sigaddset(&s->waited_for, SIGINT);
    sigaddset(&s->waited_for, SIGTERM);
    sigaddset(&s->waited_for, SIGHUP);
    sigaddset(&s->waited_for, SIGCHLD);
    sigprocmask(SIG_BLOCK, &s->waited_for, &s->old_mask);
    on_exit(at_exit, s);
    return s;
}

void process_close(process_session *s)
{
    if (!s->open)
        return;
    s->open = false;
    remove_temporaries(s);
    sigprocmask(SIG_SETMASK, &s->old_mask, NULL);
}

static bool make_folder(process_session *s)
{
    const char *base = getenv("TMPDIR");
    if (base == NULL || base[0] == '\0')
        base = "/tmp";
    char *folder = arena_printf(s->arena, "%s/svmc-XXXXXX", base);
    if (mkdtemp(folder) == NULL) {
        diag_error_at(s->diags, s->settings.tool, "cannot make a folder for temporary files in '%s': %s", base,
                      strerror(errno));
        return false;
    }
    s->folder = folder;
    return true;
}

const char *process_temporary(process_session *s, const char *stem, const char *suffix)
{
    if (s->settings.keep)
        return arena_printf(s->arena, "%s%s", stem, suffix);
    if (s->settings.dry_run)
        return arena_printf(s->arena, "/tmp/svmc-XXXXXX/%s%s", stem, suffix);
    if (s->folder == NULL && !make_folder(s))
        return NULL;
    const char *path = arena_printf(s->arena, "%s/%s%s", s->folder, stem, suffix);
    for (size_t n = 2, i = 0; i < s->temporaries.len; i++)
        if (strcmp(s->temporaries.data[i], path) == 0) { // two inputs of one name
            path = arena_printf(s->arena, "%s/%s-%zu%s", s->folder, stem, n++, suffix);
            i = (size_t)-1;
        }
    VEC_PUSH(s->arena, &s->temporaries, path);
    return path;
}

static void print_command(process_session *s, const char *const *argv)
{
    strbuf b;
    strbuf_init(&b, s->arena);
    for (size_t i = 0; argv[i] != NULL; i++) {
        strbuf_addc(&b, ' ');
        strbuf_addc(&b, '"');
        for (const char *c = argv[i]; *c != '\0'; c++) {
            if (strchr("\"\\$`", *c) != NULL)
                strbuf_addc(&b, '\\');
            strbuf_addc(&b, *c);
        }
        strbuf_addc(&b, '"');
    }
    fprintf(stderr, "%s\n", b.data);
}

static int spawn(process_session *s, const char *const *argv, pid_t *pid)
{
    posix_spawnattr_t attributes;
    sigset_t defaults;
    posix_spawnattr_init(&attributes);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGXFSZ);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setsigmask(&attributes, &s->old_mask);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    int error = posix_spawnp(pid, argv[0], NULL, &attributes, (char *const *)(uintptr_t)argv, environ);
    posix_spawnattr_destroy(&attributes);
    return error;
}

// Waits for the child or for a signal that ends this tool, which the child then gets too.
static int wait_for(process_session *s, pid_t pid)
{
    int status = 0, fatal = 0;
    for (;;) {
        pid_t done = waitpid(pid, &status, WNOHANG);
        if (done == pid || (done < 0 && errno != EINTR))
            break;
        int got = sigwaitinfo(&s->waited_for, NULL);
        if (got > 0 && got != SIGCHLD) {
            fatal = got;
            kill(pid, fatal);
        }
    }
    if (fatal != 0) {
        remove_temporaries(s);
        signal(fatal, SIG_DFL);
        raise(fatal); // waits, being blocked, until the mask is restored
        sigprocmask(SIG_SETMASK, &s->old_mask, NULL);
        _exit(128 + fatal);
    }
    return status;
}

int process_run(process_session *s, const char *const *argv)
{
    if (s->settings.verbose || s->settings.dry_run)
        print_command(s, argv);
    if (s->settings.dry_run)
        return EXIT_OK;
    fflush(NULL);
    pid_t pid;
    int error = spawn(s, argv, &pid);
    if (error != 0) {
        diag_error_at(s->diags, s->settings.tool, "cannot run '%s': %s", argv[0], strerror(error));
        return EXIT_WRONG;
    }
    int status = wait_for(s, pid);
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    diag_internal(s->diags, (src_range){0}, "'%s' was stopped by signal %d (%s)", argv[0], WTERMSIG(status),
                  strsignal(WTERMSIG(status)));
    return EXIT_INTERNAL;
}
