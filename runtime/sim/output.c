// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the environment asks of a simulation: where costs come from, and the files that are written when a machine is
// destroyed or the program exits, after errors too.
//
//   SVM_SIM_COSTS        auto (a profile, else declared costs, else counted operations), declared, counted or profile
//   SVM_SIM_PROFILE      the profile to read
//   SVM_SIM_REPORT       a file for the report as text ("-": standard output)
//   SVM_SIM_JSON         the same as JSON
//   SVM_SIM_TRACE        a timeline for Chrome's trace viewer
//   SVM_SIM_GANTT        a timeline as SVG
//   SVM_SIM_PROFILE_OUT  a profile of the kernels' predicted work
//   SVM_SIM_COMPARE      the profile of a measured run: the report lays it beside what is predicted
//
// A program that has several instances of machines writes those of the second to FILE.2, and so on.
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/sim/internal.h"
#include "support/file.h"
#include "support/quantity.h"
#include "svm/sim.h"

// ---- Settings ----

static const char *setting(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

simr_CostsFrom simr_costsFrom(void)
{
    static const char *const names[] = {[SIMR_AUTO] = "auto",
                                        [SIMR_ONLY_DECLARED] = "declared",
                                        [SIMR_ONLY_COUNTED] = "counted",
                                        [SIMR_ONLY_PROFILE] = "profile"};
    const char *value = setting("SVM_SIM_COSTS");
    if (!value)
        return SIMR_AUTO;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], value) == 0)
            return (simr_CostsFrom)i;
    svmr_fatalProgram("SVM_SIM_COSTS is '%s', and can be auto, declared, counted or profile", value);
}

bool simr_wantsTrace(void)
{
    return setting("SVM_SIM_TRACE") || setting("SVM_SIM_GANTT");
}

bool simr_wantsProfile(void)
{
    return setting("SVM_SIM_PROFILE_OUT") || setting("SVM_SIM_COMPARE");
}

// A profile that a variable of the environment names.
typedef struct GivenProfile {
    pthread_once_t once;
    const char *variable;
    svmr_Profile profile;
    char *message; // what is wrong
    bool read;
} GivenProfile;
static GivenProfile costs = {.once = PTHREAD_ONCE_INIT, .variable = "SVM_SIM_PROFILE"},
                    compared = {.once = PTHREAD_ONCE_INIT, .variable = "SVM_SIM_COMPARE"};

static void readProfile(GivenProfile *given)
{
    const char *path = setting(given->variable);
    if (!path)
        return;
    FILE *f = fopen(path, "r");
    if (!f) {
        if (asprintf(&given->message, "%s: error: the profile cannot be read: %s", path, strerror(errno)) < 0)
            given->message = NULL;
        return;
    }
    given->read = svmr_profileRead(&given->profile, path, f, &given->message);
    fclose(f);
}

static void readCosts(void)
{
    readProfile(&costs);
}

static void readCompared(void)
{
    readProfile(&compared);
}

static const svmr_Profile *profileOf(GivenProfile *given, void (*read)(void))
{
    pthread_once(&given->once, read);
    if (given->message)
        svmr_fatal("%s", given->message);
    return given->read ? &given->profile : NULL;
}

const svmr_Profile *simr_profile(void)
{
    return profileOf(&costs, readCosts);
}

// ---- Writing ----

// At least one file could not be written: the process fails, whatever the program made of it.
static bool failed;

static void writeFile(const simr_Simulation *s, const char *what, const char *variable, const strbuf *text)
{
    if (!file_write_result(s->arena, what, variable, s->number, text))
        failed = true;
}

static void writeProfile(simr_Simulation *s)
{
    char *text = NULL;
    size_t length = 0;
    FILE *f = open_memstream(&text, &length);
    if (!f)
        return;
    svmr_profileWrite(&s->profile, arena_printf(s->arena, "predicted on %s", s->table->name),
                      sim_to_seconds(sim_now(s->engine)), f);
    fclose(f);
    strbuf b;
    strbuf_init(&b, s->arena);
    strbuf_addn(&b, text, length);
    writeFile(s, "profile", "SVM_SIM_PROFILE_OUT", &b);
    free(text);
}

static void tellIterations(simr_Simulation *s);

static void writeResults(simr_Simulation *s)
{
    tellIterations(s); // of a program that did not come to its end
    const char *program = svmr_thread.program ? svmr_thread.program : program_invocation_short_name;
    strbuf text;
    simr_noteWork(&s->main);
    for (const svmr_Kernel *p = s->machine->all.first; p; p = p->allNext)
        if (p->state == SVM_BLOCKED)
            simr_noteWait(p->scheduling, sim_now(s->engine));
    if (setting("SVM_SIM_PROFILE_OUT"))
        writeProfile(s);
    if (setting("SVM_SIM_REPORT") || setting("SVM_SIM_JSON")) {
        const sim_report *report = sim_make_report(s->engine, s->arena, program);
        strbuf_init(&text, s->arena);
        sim_report_text(report, &text);
        const svmr_Profile *measured = profileOf(&compared, readCompared);
        if (measured)
            simr_compare(s, measured, &text);
        if (setting("SVM_SIM_REPORT"))
            writeFile(s, "report", "SVM_SIM_REPORT", &text);
        strbuf_init(&text, s->arena);
        sim_report_json(report, &text);
        if (setting("SVM_SIM_JSON"))
            writeFile(s, "report", "SVM_SIM_JSON", &text);
    }
    strbuf_init(&text, s->arena);
    if (setting("SVM_SIM_TRACE")) {
        sim_trace_json(s->engine, &text);
        writeFile(s, "timeline", "SVM_SIM_TRACE", &text);
    }
    strbuf_init(&text, s->arena);
    if (setting("SVM_SIM_GANTT")) {
        sim_trace_gantt(s->engine, program, &text);
        writeFile(s, "timeline", "SVM_SIM_GANTT", &text);
    }
}

// ---- Which simulations there are ----

static struct {
    pthread_mutex_t mutex;
    simr_Simulation *first, *last;
    unsigned count;
    bool registered;
} alive = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void writeAtExit(void)
{
    pthread_mutex_lock(&alive.mutex);
    for (simr_Simulation *s = alive.first; s; s = s->next)
        writeResults(s);
    alive.first = alive.last = NULL;
    pthread_mutex_unlock(&alive.mutex);
    if (failed) {
        fflush(NULL);
        _exit(1);
    }
}

void simr_register(simr_Simulation *s)
{
    pthread_mutex_lock(&alive.mutex);
    if (!alive.registered)
        atexit(writeAtExit);
    alive.registered = true;
    s->number = ++alive.count;
    s->previous = alive.last;
    *(alive.last ? &alive.last->next : &alive.first) = s;
    alive.last = s;
    pthread_mutex_unlock(&alive.mutex);
}

void simr_finish(simr_Simulation *s)
{
    if (!s->engine)
        return;
    pthread_mutex_lock(&alive.mutex);
    bool listed = s->previous || alive.first == s;
    if (listed) {
        writeResults(s);
        *(s->previous ? &s->previous->next : &alive.first) = s->next;
        *(s->next ? &s->next->previous : &alive.last) = s->previous;
    }
    pthread_mutex_unlock(&alive.mutex);
    svmr_profileFree(&s->profile);
}

// ---- Deadlocks ----

#define WAITS_TOLD 20

void svmr_onDeadlock(svm_Machine *m, FILE *f)
{
    simr_Simulation *s = simr_of(m);
    if (!s->engine)
        return;
    fputs("; it is ", f);
    fputs(quantity_seconds(s->arena, sim_to_seconds(sim_now(s->engine))), f);
    int told = 0;
    for (const svmr_Kernel *p = m->all.first; p && told < WAITS_TOLD; p = p->allNext) {
        if (!svmr_pending(p))
            continue;
        fprintf(f, "%s '%s' since ", told++ ? "," : ", and they wait:", svmr_name(p));
        fputs(quantity_seconds(s->arena, sim_to_seconds(((const simr_Actor *)p->scheduling)->waitsSince)), f);
    }
}

// ---- What a program tells ----

static _Thread_local struct {
    int64_t (*steadyStates)(const void *instance);
    const void *instance;
    simr_Simulation *simulation; // in which kernels were last run
} program;

void simr_countIterations(simr_Simulation *s)
{
    int64_t count = program.steadyStates ? program.steadyStates(program.instance) : 0;
    program.simulation = s;
    if (count == 0)
        s->iterated = sim_now(s->engine); // the first one begins
    s->submitted = count;
}

// When runs are submitted tells nothing of when steady states are over: strips of several rounds are under way at a time, and rounds
// overlap. So all are taken to have lasted equally long, from where the first began to where all had ended: their number times that
// is the time of the program.
static void tellIterations(simr_Simulation *s)
{
    sim_time now = sim_now(s->engine);
    double each = s->submitted > 0 ? (double)(now - s->iterated) / (double)s->submitted : 0;
    for (int64_t i = 1; i <= s->submitted; i++)
        sim_iteration(s->engine, i == s->submitted ? now : s->iterated + (sim_time)(each * (double)i));
    s->submitted = 0;
}

void svmr_onProgram(int64_t (*steadyStates)(const void *instance), const void *instance)
{
    if (!steadyStates && program.simulation && program.steadyStates) {
        simr_sync(&program.simulation->main);
        simr_countIterations(program.simulation);
        tellIterations(program.simulation);
    }
    program.steadyStates = steadyStates;
    program.instance = instance;
    program.simulation = NULL;
}

void svm_simIteration(void)
{
    simr_Actor *a = simr_caller();
    if (!a || a->kernel)
        return;
    simr_sync(a);
    sim_iteration(a->simulation->engine, a->local);
}

double svm_simTime(void)
{
    simr_Actor *a = simr_caller();
    if (!a)
        return 0;
    simr_look(a);
    return sim_to_seconds(a->local);
}
