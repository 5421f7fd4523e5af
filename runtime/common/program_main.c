// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The main function of emitted programs: options, one instance, run, drain.
#include "runtime/common/profile.h"
#include "runtime/common/scheduler.h"
#include "svm/messages.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef struct Options {
    svm_Settings settings;
    bool time;
    const char *control; // --control; NULL: none
    const char **sets;   // --set, as they were given
    size_t setCount;
} Options;

static void printHelp(const svm_Program *p)
{
    printf("usage: %s [options]\n\nRuns the stream program '%s' until its input ends, or for ever.\n\n"
           "  -i N           run N steady states\n"
           "  --loop-input   start input files again at their end\n",
           program_invocation_short_name, p->name);
    if (p->reads_input)
        printf("  --in=FILE      read the program's input from FILE (default: standard input)\n");
    if (p->writes_output)
        printf("  --out=FILE     write the program's output to FILE (default: standard output)\n");
    if (p->dynamic)
        printf("  --tag-prints   begin every printed line with the name of its filter\n");
    if (p->outside)
        printf("  --set PORTAL.HANDLER=VALUE,...\n"
               "                 send a message before the first firing\n"
               "  --control=PATH read lines 'PORTAL.HANDLER VALUE...' from a FIFO or a socket while it runs, and send "
               "them\n"
               "                 as messages\n");
    printf("  --time         print how long it took to standard error\n"
           "  --profile=FILE write the times that kernels took to FILE\n"
           "  --trace=FILE   write a timeline of kernels, transfers and waits to FILE, for chrome://tracing or\n"
           "                 Perfetto; so does a --profile=FILE that ends in .json\n"
           "  --adversary=SEED  run kernels and transfers in another order that is allowed\n"
           "  --help         print this\n");
    if (p->reads_input || p->writes_output)
        printf("\nFiles are raw items, little-endian, or samples if their name ends in .wav.\n");
    if (p->writes_output)
        printf("A WAV file's properties may follow its name: "
               "--out=x.wav,rate=48000,channels=2,format=pcm16|pcm24|float\n");
    if (p->reads_input && p->writes_output)
        printf(
            "Channels are interleaved items. Rate and channels are those of a WAV file read, if the program gives as\n"
            "many samples as it takes; else it says which they are.\n");
    if (p->outside)
        p->outside->functions->list(p->outside);
}

static _Noreturn SVMR_PRINTF(1, 2) void usageError(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s: error: ", program_invocation_short_name);
    vfprintf(stderr, format, args);
    fprintf(stderr, "; see '%s --help'\n", program_invocation_short_name);
    va_end(args);
    exit(2);
}

static int64_t parseCount(const char *text)
{
    char *end;
    errno = 0;
    long long v = text ? strtoll(text, &end, 10) : -1;
    if (text && *text && text[strspn(text, "0123456789")] == 0 && errno == ERANGE)
        usageError("'%s' for option '-i' is too large; %lld is the largest", text, LLONG_MAX);
    if (!text || *text < '0' || *text > '9' || *end || errno)
        usageError("option '-i' needs a number of steady states, not '%s'", text ? text : "");
    return v;
}

// The value of "--name=value".
static const char *valueOf(const char *argument, const char *name)
{
    size_t n = strlen(name);
    return strncmp(argument, name, n) == 0 ? argument + n : NULL;
}

static bool endsIn(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

static void addSet(Options *o, const svm_Program *p, const char *text)
{
    if (!text)
        usageError("option '--set' needs a message, PORTAL.HANDLER=VALUE,...");
    if (!p->outside)
        usageError("option '--set=%s': '%s' takes no messages from outside", text, p->name);
    char *wrong = p->outside->functions->set(p->outside, NULL, text);
    if (wrong)
        usageError("option '--set=%s': %s", text, wrong);
    o->sets[o->setCount++] = text;
}

// "--in=" and the like.
static bool needsValue(const char *a)
{
    static const char *const names[] = {
        "--in=", "--out=", "--trace=", "--profile=", "--adversary=", "--set=", "--control="};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(a, names[i]) == 0)
            return true;
    return false;
}

// Whether two names are of one file, or would be of one that is not there yet.
static bool isSameFile(const char *a, const char *b)
{
    struct stat x, y;
    bool isThere = stat(a, &x) == 0;
    if (isThere != (stat(b, &y) == 0))
        return false;
    if (isThere)
        return S_ISREG(x.st_mode) && x.st_ino == y.st_ino && x.st_dev == y.st_dev;
    while (strncmp(a, "./", 2) == 0)
        a += 2;
    while (strncmp(b, "./", 2) == 0)
        b += 2;
    return strcmp(a, b) == 0;
}

// Times go nowhere where the program reads, which would empty its input, nor where it writes, which would be lost.
static void checkTimes(const char *in, const char *out)
{
    static const char *const variables[] = {"SVM_TRACE_OUT", "SVM_PROFILE_OUT"};
    const char *trace = getenv(variables[0]), *profile = getenv(variables[1]);
    char *written = out ? strdup(out) : NULL;
    if (written && svmr_isWav(out))
        written[strcspn(written, ",")] = 0;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *path = getenv(variables[i]);
        if (path && in && isSameFile(in, path))
            usageError("cannot write times to '%s': the program reads this file, which would be empty then", path);
        if (path && written && isSameFile(written, path))
            usageError("cannot write times to '%s': the program writes its output there", path);
    }
    if (trace && profile && isSameFile(trace, profile))
        usageError("'%s' cannot be a profile and a timeline in one; expected a file for each", profile);
    free(written);
}

// The same of files that filters read, once these are open.
static void checkTimesNotRead(void)
{
    static const char *const variables[] = {"SVM_TRACE_OUT", "SVM_PROFILE_OUT"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (getenv(variables[i]))
            svmr_checkNotRead(getenv(variables[i]));
}

static Options parseOptions(const svm_Program *p, int argc, char **argv)
{
    Options o = {.settings.iterations = -1, .sets = svmr_allocate((size_t)argc + 1, sizeof *o.sets)};
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i], *value;
        if (strcmp(a, "--help") == 0) {
            printHelp(p);
            exit(fflush(stdout) ? 1 : 0);
        }
        if (strncmp(a, "-i", 2) == 0) {
            o.settings.iterations = parseCount(a[2] ? a + 2 : argv[i + 1]);
            i += a[2] == 0;
        } else if (strcmp(a, "--loop-input") == 0) {
            o.settings.loopInput = true;
        } else if (p->dynamic && strcmp(a, "--tag-prints") == 0) {
            o.settings.tagPrints = true;
        } else if (strcmp(a, "--time") == 0) {
            o.time = true;
            setenv("SVM_SIM_TIME", "1", 1); // a Cell program's replay
        } else if (((value = valueOf(a, "--trace=")) && *value) ||
                   ((value = valueOf(a, "--profile=")) && endsIn(value, ".json"))) {
            setenv("SVM_TRACE_OUT", value, 1); // of the host's runtime,
            setenv("SVM_SIM_TRACE", value, 1); // and of the simulator's
        } else if ((value = valueOf(a, "--profile=")) && *value) {
            setenv("SVM_PROFILE_OUT", value, 1);
            setenv("SVM_SIM_PROFILE_OUT", value, 1);
        } else if ((value = valueOf(a, "--adversary=")) && *value) {
            setenv("SVM_ADVERSARY", value, 1);
        } else if (strcmp(a, "--set") == 0) {
            addSet(&o, p, argv[i + 1]);
            i++;
        } else if ((value = valueOf(a, "--set=")) && *value) {
            addSet(&o, p, value);
        } else if ((value = valueOf(a, "--control=")) && *value) {
            if (!p->outside)
                usageError("option '--control=%s': '%s' takes no messages from outside", value, p->name);
            o.control = value;
        } else if ((value = valueOf(a, "--in=")) && *value) {
            if (!p->reads_input)
                usageError("option '--in' is for programs that read items, and '%s' takes none", p->name);
            o.settings.in = value;
        } else if ((value = valueOf(a, "--out=")) && *value) {
            if (!p->writes_output)
                usageError("option '--out' is for programs that write items, and '%s' gives none", p->name);
            o.settings.out = value;
        } else if (needsValue(a)) {
            usageError("option '%s' needs a value behind it", a);
        } else {
            usageError("%s '%s'", *a == '-' ? "unknown option" : "unexpected argument", a);
        }
    }
    checkTimes(o.settings.in, o.settings.out);
    return o;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void printTime(int64_t steadyStates, double seconds, int64_t read, int64_t written)
{
    double per = seconds > 0 ? 1 / seconds : 0;
    fprintf(stderr, "%s: ", program_invocation_short_name);
    if (steadyStates >= 0)
        fprintf(stderr, "%lld steady states (%.6g a second), ", (long long)steadyStates, (double)steadyStates * per);
    fprintf(stderr, "%.6f seconds, %lld items read (%.6g a second), %lld items written (%.6g a second)\n", seconds,
            (long long)read, (double)read * per, (long long)written, (double)written * per);
}

// Messages before the first firing, and a file that others come from.
static void beginMessages(const svm_Program *p, void *self, const Options *o)
{
    const svm_Outside *outside = p->outside;
    for (size_t i = 0; i < o->setCount; i++)
        free(outside->functions->set(outside, self, o->sets[i])); // parseOptions has found nothing wrong
    char *wrong = o->control ? outside->functions->control(outside, self, o->control) : NULL;
    if (wrong)
        svmr_fatalProgram("option '--control=%s': %s", o->control, wrong);
}

int svm_main(const svm_Program *program, int argc, char **argv)
{
    Options o = parseOptions(program, argc, argv);
    svmr_beginMain();
    o.settings.out = svmr_soundOutput(program, o.settings.in, o.settings.out);
    svmr_prepareStack();
    if (!isatty(STDOUT_FILENO))
        setvbuf(stdout, NULL, program->prompt ? _IOLBF : _IOFBF, 1 << 16);
    o.settings.prompt = program->prompt;
    void *self = program->create(&o.settings);
    checkTimesNotRead();
    beginMessages(program, self, &o);
    svmr_onProgram(program->steady_states, self);
    const svmr_Thread *t = &svmr_thread;
    int64_t read = t->itemsRead, written = t->itemsWritten;
    double start = now();
    svmr_Pace pace;
    svmr_paceBegin(&pace, !program->prompt); // which sees to that itself
    bool more, endless = o.settings.iterations < 0;
    int64_t left = endless ? INT64_C(1) << 40 : o.settings.iterations;
    do {
        int64_t n = svmr_paceNext(&pace, left);
        more = program->run(self, n);
        svmr_paceDone(&pace);
        left -= endless ? 0 : n;
    } while (more && left > 0);
    if (!more || program->dynamic)
        program->drain(self);
    double seconds = now() - start;
    int64_t steadyStates = program->steady_states ? program->steady_states(self) : more ? o.settings.iterations : -1;
    read = t->itemsRead - read;
    written = t->itemsWritten - written;
    svmr_onProgram(NULL, NULL);
    svmr_profileProgram(program->kernels, steadyStates);
    if (o.control)
        (void)program->outside->functions->control(program->outside, self, NULL);
    free(o.sets);
    program->destroy(self);
    svmr_checkOutput(fflush(stdout) == 0);
    if (o.time)
        printTime(steadyStates, seconds, read, written);
    return 0;
}
