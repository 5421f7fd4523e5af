// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checking by running: the program is compiled, run with a time limit, and what the runtime says of misuse becomes
// diagnostics at the places that it names.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "llc/check/check.h"

#define CHECK_TOOL "svm-check"

enum { MAX_OUTPUT = 1 << 20 }; // bytes kept of what the program prints to standard error

static const char *const error_names[] = {
#define SVM_ERROR(id, name, text) name,
#include "runtime/include/svm/errors.def"
#undef SVM_ERROR
};

// ---- Running ----

// One of the program's runs.
typedef struct attempt {
    const char *adversary; // SVM_ADVERSARY of its environment; NULL: as it is
    const char *printed;   // the file that its standard output goes to
    const char *how;       // for messages: "" or " with SVM_ADVERSARY=3"
} attempt;

typedef struct outcome {
    strbuf text;   // of standard error
    int status;    // as waitpid gives it
    bool too_slow; // it was stopped
} outcome;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static _Noreturn void become_program(const char *path, const check_run *run, const attempt *t, char **argv,
                                     int error_pipe)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (t->adversary != NULL)
        setenv("SVM_ADVERSARY", t->adversary, 1);
    int in = open(run->input != NULL ? run->input : "/dev/null", O_RDONLY);
    int out = open(t->printed, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (in < 0 || out < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(error_pipe, 2) < 0)
        _exit(127);
    execv(path, argv);
    _exit(127);
}

// Reads until the program has ended and closed its standard error, or the time is over.
static void watch(pid_t child, int from, double seconds, outcome *o)
{
    double end = now() + seconds;
    bool open = true, ended = false;
    while (!ended) {
        double left = end - now();
        struct pollfd p = {from, POLLIN, 0};
        if (left <= 0) {
            o->too_slow = true;
            kill(-child, SIGKILL);
            kill(child, SIGKILL);
            while (waitpid(child, &o->status, 0) < 0 && errno == EINTR)
                continue;
            return;
        }
        int wait = left > 0.05 ? 50 : (int)(left * 1000) + 1;
        if (!open) {
            poll(NULL, 0, wait);
        } else if (poll(&p, 1, wait) > 0) {
            char bytes[4096];
            ssize_t n = read(from, bytes, sizeof bytes);
            open = n > 0 || (n < 0 && errno == EINTR);
            if (n > 0 && o->text.len < MAX_OUTPUT)
                strbuf_addn(&o->text, bytes, (size_t)n);
            if (n > 0)
                continue;
        }
        ended = waitpid(child, &o->status, WNOHANG) == child;
    }
    // What is left in the pipe; a program's own children may hold it open.
    char bytes[4096];
    struct pollfd p = {from, POLLIN, 0};
    ssize_t n;
    while (o->text.len < MAX_OUTPUT && poll(&p, 1, 0) > 0 && (n = read(from, bytes, sizeof bytes)) > 0)
        strbuf_addn(&o->text, bytes, (size_t)n);
    kill(-child, SIGKILL);
}

static bool run_program(arena *a, diag_engine *d, const char *path, const check_run *run, const attempt *t, outcome *o)
{
    VEC(char *) argv = {0};
    VEC_PUSH(a, &argv, arena_strdup(a, path));
    for (VEC_EACH(const char *const, argument, &run->arguments))
        VEC_PUSH(a, &argv, arena_strdup(a, *argument));
    VEC_PUSH(a, &argv, NULL);
    strbuf_init(&o->text, a);
    int ends[2];
    if (run->input != NULL && access(run->input, R_OK) != 0) {
        diag_error_at(d, CHECK_TOOL, "cannot read '%s': %s", run->input, strerror(errno));
        return false;
    }
    if (pipe2(ends, O_CLOEXEC) != 0) {
        diag_error_at(d, CHECK_TOOL, "cannot run the program: %s", strerror(errno));
        return false;
    }
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        become_program(path, run, t, argv.data, ends[1]);
    close(ends[1]);
    if (child < 0)
        diag_error_at(d, CHECK_TOOL, "cannot run the program: %s", strerror(errno));
    else
        watch(child, ends[0], run->seconds, o);
    close(ends[0]);
    return child > 0;
}

// ---- What it said ----

static bool is_error_name(const char *name, size_t len)
{
    for (size_t i = 0; i < sizeof error_names / sizeof *error_names; i++)
        if (strlen(error_names[i]) == len && memcmp(error_names[i], name, len) == 0)
            return true;
    return false;
}

// The statement on a line of a source.
static src_range line_range(diag_engine *d, const char *file, unsigned long line)
{
    for (source_id i = 1; i < d->sources->files.len; i++) {
        if (strcmp(d->sources->files.data[i].name, file) != 0 || !source_load(d->sources, i))
            continue;
        const source_file *source = source_get(d->sources, i);
        if (line == 0 || line > source->lines.len)
            return (src_range){0};
        uint32_t begin = source->lines.data[line - 1];
        begin += (uint32_t)strspn(source->text + begin, " \t");
        uint32_t end = begin + (uint32_t)strcspn(source->text + begin, "\n");
        return (src_range){i, begin, end};
    }
    return (src_range){0};
}

// "file:12: error: function of 'object': message [name]", as the runtime prints misuse. False when the line is another.
static bool report_line(arena *a, diag_engine *d, const attempt *t, const char *line)
{
    size_t len = strlen(line);
    const char *open = strrchr(line, '['), *marker = strstr(line, "error: ");
    if (open == NULL || marker == NULL || len == 0 || line[len - 1] != ']' || open < marker ||
        !is_error_name(open + 1, (size_t)(line + len - 1 - open - 1)))
        return false;
    const char *message = arena_printf(a, "when run%s: %s", t->how, marker + strlen("error: "));
    const char *place = arena_strndup(a, line, (size_t)(marker - line));
    char *colon = strstr(place, ": ");
    if (colon != NULL)
        *colon = '\0';
    char *number = strrchr(place, ':'), *end;
    unsigned long at = number == NULL ? 0 : strtoul(number + 1, &end, 10);
    src_range range = {0};
    if (number != NULL && *end == '\0' && number[1] != '\0') {
        range = line_range(d, arena_strndup(a, place, (size_t)(number - place)), at);
        if (range.file == 0)
            message = arena_printf(a, "%s (at %s)", message, place);
    }
    if (range.file != 0)
        diag_error(d, range, "%s", message);
    else
        diag_error_at(d, CHECK_TOOL, "%s", message);
    return true;
}

static bool report_lines(arena *a, diag_engine *d, const attempt *t, const outcome *o, const char **last)
{
    bool found = false;
    for (const char *p = o->text.data; *p != '\0';) {
        size_t n = strcspn(p, "\n");
        const char *line = arena_strndup(a, p, n);
        found = report_line(a, d, t, line) || found;
        if (n > 0)
            *last = line;
        p += n + (p[n] == '\n');
    }
    return found;
}

static bool report_outcome(arena *a, diag_engine *d, const check_run *run, const attempt *t, const outcome *o)
{
    const char *last = NULL;
    if (report_lines(a, d, t, o, &last))
        return false;
    if (o->too_slow) {
        diag_error_at(d, CHECK_TOOL, "the program runs for more than %g seconds%s; --time-limit=N lets it run longer",
                      run->seconds, t->how);
        return false;
    }
    if (WIFSIGNALED(o->status)) {
        diag_error_at(d, CHECK_TOOL, "the program is stopped by signal %d (%s)%s", WTERMSIG(o->status),
                      strsignal(WTERMSIG(o->status)), t->how);
        return false;
    }
    if (WEXITSTATUS(o->status) != 0)
        diag_warning(d, WARN_CHECK_STATUS, (src_range){0}, "the program ends with exit code %d%s%s%s",
                     WEXITSTATUS(o->status), t->how, last == NULL ? "" : ", saying: ", last == NULL ? "" : last)
            ->place = CHECK_TOOL;
    return true;
}

// ---- In other orders ----

// The last line read, with its number; what a message can show of it.
static const char *shown(arena *a, const char *line, ssize_t length)
{
    enum { MOST = 60 };
    if (length < 0)
        return "its end";
    while (length > 0 && line[length - 1] == '\n')
        length--;
    bool whole = length <= MOST;
    char *text = arena_strndup(a, line, (size_t)(whole ? length : MOST));
    for (char *c = text; *c != '\0'; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
    return arena_printf(a, "'%s'%s", text, whole ? "" : " ...");
}

// What two runs printed, line by line; a warning where it differs.
static void compare_prints(arena *a, diag_engine *d, const attempt *usual, const attempt *t)
{
    FILE *first = fopen(usual->printed, "r"), *second = fopen(t->printed, "r");
    bool same = first != NULL && second != NULL;
    if (!same)
        diag_error_at(d, CHECK_TOOL, "cannot read what the program printed: %s", strerror(errno));
    char *lines[2] = {0};
    size_t room[2] = {0}, number = 0;
    while (same) {
        ssize_t n = getline(&lines[0], &room[0], first), m = getline(&lines[1], &room[1], second);
        number++;
        if (n < 0 && m < 0)
            break;
        if (n == m && memcmp(lines[0], lines[1], (size_t)n) == 0)
            continue;
        same = false;
        diag_warning(d, WARN_CHECK_ORDER, (src_range){0},
                     "the program prints something else%s: line %zu is %s, not %s; a dependence or a wait is missing, "
                     "or memory is used that nobody wrote",
                     t->how, number, shown(a, lines[1], m), shown(a, lines[0], n))
            ->place = CHECK_TOOL;
    }
    free(lines[0]);
    free(lines[1]);
    if (first != NULL)
        fclose(first);
    if (second != NULL)
        fclose(second);
}

// False after errors. The first order in which something is found is the last.
static bool run_in_orders(arena *a, diag_engine *d, const char *path, const check_run *run,
                          const llc_environment *environment, const attempt *usual)
{
    const char *printed = environment->temporary(environment->context, "printed", ".again");
    for (uint64_t seed = 1; printed != NULL && seed <= run->orders; seed++) {
        attempt t = {.adversary = arena_printf(a, "%llu,zeroes", (unsigned long long)seed), .printed = printed};
        t.how = arena_printf(a, " with SVM_ADVERSARY=%s", t.adversary);
        outcome result = {0};
        if (!run_program(a, d, path, run, &t, &result) || !report_outcome(a, d, run, &t, &result))
            return false;
        compare_prints(a, d, usual, &t);
        if (d->warning_count > 0 || d->error_count > 0)
            return d->error_count == 0;
    }
    return printed != NULL;
}

bool check_by_running(arena *a, diag_engine *d, const llc_options *options, const llc_environment *environment,
                      const check_run *run, int *status)
{
    llc_options o = *options;
    o.output = LLC_OUTPUT_EXE;
    o.backend = run->target;
    o.output_path = environment->temporary(environment->context, "checked", "");
    if (o.output_path == NULL)
        return false;
    // What the text gives rise to has been said: this engine is for errors alone.
    diag_engine compiling;
    diag_init(&compiling, a, d->sources);
    compiling.no_warnings = true;
    if (!llc_compile(a, &compiling, &o, environment, status)) {
        for (VEC_EACH(diag_record *, record, &compiling.records))
            VEC_PUSH(a, &d->records, *record);
        d->error_count += compiling.error_count;
        return false;
    }
    attempt usual = {.printed = environment->temporary(environment->context, "printed", ".txt"), .how = ""};
    outcome result = {0};
    if (usual.printed == NULL || !run_program(a, d, o.output_path, run, &usual, &result) ||
        !report_outcome(a, d, run, &usual, &result))
        return false;
    return d->warning_count > 0 || run_in_orders(a, d, o.output_path, run, environment, &usual);
}
