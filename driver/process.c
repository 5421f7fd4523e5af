// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Child processes and temporary files.
#include "driver/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "driver/options.h"

enum { FOLDER_DEPTH = 4 };

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

// Children have left files and, when they were killed, folders of their own there.
static void remove_folder(const char *folder, int depth)
{
    DIR *dir = opendir(folder);
    arena *a = arena_create();
    for (struct dirent *e; dir != NULL && (e = readdir(dir)) != NULL;)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && unlinkat(dirfd(dir), e->d_name, 0) != 0 &&
            errno == EISDIR && depth > 0)
            remove_folder(arena_printf(a, "%s/%s", folder, e->d_name), depth - 1);
    arena_destroy(a);
    if (dir != NULL)
        closedir(dir);
    rmdir(folder);
}

static void remove_temporaries(process_session *s)
{
    if (s->folder != NULL)
        remove_folder(s->folder, FOLDER_DEPTH);
    s->folder = NULL;
}

static void at_exit(int status, void *session)
{
    (void)status;
    process_session *s = session;
    remove_temporaries(s);
    arena_destroy(s->arena);
}

void process_signals(sigset_t *set)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
    sigemptyset(set);
    sigaddset(set, SIGCHLD);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        struct sigaction now;
        if (sigaction(ending[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(set, ending[i]);
    }
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
    process_signals(&s->waited_for);
    sigprocmask(SIG_BLOCK, NULL, &s->old_mask);
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
    sigprocmask(SIG_BLOCK, &s->waited_for, NULL); // from now on there is something to remove
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

// The environment of children: their temporary files go to this session's folder.
static char **environment(process_session *s)
{
    size_t n = 0;
    while (environ[n] != NULL)
        n++;
    char **copy = ARENA_ARRAY(s->arena, char *, n + 2);
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (strncmp(environ[i], "TMPDIR=", strlen("TMPDIR=")) != 0)
            copy[count++] = environ[i];
    copy[count] = arena_printf(s->arena, "TMPDIR=%s", s->folder);
    return copy;
}

static int spawn(process_session *s, const char *const *argv, const process_limits *limits, pid_t *pid)
{
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    if (limits->errors != NULL)
        posix_spawn_file_actions_addopen(&files, STDERR_FILENO, limits->errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (limits->output != NULL)
        posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, limits->output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    sigset_t defaults;
    posix_spawnattr_init(&attributes);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGXFSZ);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setsigmask(&attributes, &s->old_mask);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    int error = posix_spawnp(pid, argv[0], &files, &attributes, (char *const *)(uintptr_t)argv, environment(s));
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

// Waits for the child. A signal that is to end this tool goes to the child, and takes effect when the child has ended; a
// second one ends the child at once. So does the end of its time, *late being set then.
static int wait_for(process_session *s, pid_t pid, int seconds, bool *late)
{
    int status = 0, fatal = 0;
    const struct timespec second = {.tv_sec = 1};
    for (int waited = 0;;) {
        pid_t done = waitpid(pid, &status, WNOHANG);
        if (done == pid || (done < 0 && errno != EINTR))
            break;
        int got = seconds == 0 ? sigwaitinfo(&s->waited_for, NULL) : sigtimedwait(&s->waited_for, NULL, &second);
        if (got < 0 && errno == EAGAIN && ++waited >= seconds) {
            kill(pid, *late ? SIGKILL : SIGTERM);
            *late = true;
        }
        if (got > 0 && got != SIGCHLD) {
            kill(pid, fatal == 0 ? got : SIGKILL);
            fatal = got;
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

// A child that a signal ended: a closed pipe is a failed write, somebody may have stopped it; anything else is a crash, of
// this tool's unless the program is the user's own.
static int report_signal(process_session *s, const char *program, int number, bool own)
{
    if (number == SIGPIPE) {
        diag_error_at(s->diags, s->settings.tool, "cannot write to standard output: %s", strerror(EPIPE));
        return EXIT_WRONG;
    }
    const char *name = strsignal(number);
    if (number == SIGKILL || number == SIGTERM || number == SIGINT || number == SIGHUP || number == SIGXCPU) {
        diag_error_at(s->diags, s->settings.tool, "'%s' was stopped from outside: signal %d (%s)%s", program, number,
                      name, number == SIGKILL ? "; is there enough memory?" : "");
        return EXIT_WRONG;
    }
    if (own) {
        diag_error_at(s->diags, s->settings.tool, "the program is stopped by signal %d (%s)", number, name);
        return EXIT_WRONG;
    }
    diag_internal(s->diags, (src_range){0}, "'%s' was stopped by signal %d (%s)%s", program, number, name,
                  number == SIGSEGV ? "; is the text nested very deeply?" : "");
    return EXIT_INTERNAL;
}

int process_run(process_session *s, const char *const *argv)
{
    return process_run_quiet(s, argv, NULL);
}

int process_run_quiet(process_session *s, const char *const *argv, const char *errors)
{
    return process_run_limited(s, argv, &(process_limits){.errors = errors});
}

int process_run_limited(process_session *s, const char *const *argv, const process_limits *limits)
{
    if (s->settings.verbose || s->settings.dry_run)
        print_command(s, argv);
    if (s->settings.dry_run)
        return EXIT_OK;
    if (s->folder == NULL && !make_folder(s))
        return EXIT_WRONG;
    fflush(NULL);
    pid_t pid;
    int error = spawn(s, argv, limits, &pid);
    if (error != 0) {
        diag_error_at(s->diags, s->settings.tool, "cannot run '%s': %s", argv[0], strerror(error));
        return EXIT_WRONG;
    }
    bool late = false;
    int status = wait_for(s, pid, limits->seconds, &late);
    if (late)
        return PROCESS_LATE;
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    return report_signal(s, argv[0], WTERMSIG(status), limits->program);
}
