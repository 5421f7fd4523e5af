// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a replay tells, with --time and in the files that the environment names (docs/svm-c-in-simulation.md): when the
// machine is destroyed, or the program exits.
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/cell/svm/time/replay.h"
#include "support/file.h"

static svmr_Replay *alive;
static unsigned count;
static bool failed;

static void writeFile(const svmr_Replay *r, const char *what, const char *variable, const strbuf *text)
{
    if (!file_write_result(r->arena, what, variable, r->number, text))
        failed = true;
}

// Steady states end when strips of several rounds do; all are taken to have lasted equally long, as in runtime/sim.
static void tellIterations(svmr_Replay *r)
{
    const sim_time now = sim_now(r->engine);
    const double each = r->submitted > 0 ? (double)(now - r->began) / (double)r->submitted : 0;
    for (int64_t i = 1; i <= r->submitted; i++)
        sim_iteration(r->engine, i == r->submitted ? now : r->began + (sim_time)(each * (double)i));
    r->submitted = 0;
}

// What SVM_CELL_COUNT asks for, of the replay: the same in each run.
static void printCounts(const svmr_Replay *r)
{
    if (!getenv("SVM_CELL_COUNT"))
        return;
    for (const svmr_TimedSpe *s = r->spes; s; s = s->next)
        fprintf(stderr, "svm-cell: %s in time: commands %u, rings %llu, wakes %llu\n",
                r->table->processors[s->spe->processor].name, s->nextNumber, (unsigned long long)s->rings,
                (unsigned long long)s->wakes);
    fprintf(stderr, "svm-cell: PPE in time: runs %llu, waits %llu, calls %.3f us, code %.3f us, files %.3f us\n",
            (unsigned long long)r->made.runs, (unsigned long long)r->made.waits, r->made.calls * 1e-9,
            r->made.code * 1e-9, r->made.files * 1e-9);
}

static void writeResults(svmr_Replay *r)
{
    r->over = true;
    svmr_replay(r);
    if (sim_failure(r->engine)) {
        fprintf(stderr, "%s: error: the replay on the machine '%s' fails: %s\n", program_invocation_short_name,
                r->table->name, sim_failure(r->engine));
        failed = true;
    }
    if (r->first)
        fprintf(stderr, "%s: note: the time is predicted to where the program stopped\n",
                program_invocation_short_name);
    tellIterations(r);
    printCounts(r);
    const char *program = svmr_thread.program ? svmr_thread.program : program_invocation_short_name;
    const sim_report *report = sim_make_report(r->engine, r->arena, program);
    static void (*const reports[])(const sim_report *r, strbuf *out) = {sim_report_text, sim_report_json};
    static const char *const variables[] = {"SVM_SIM_REPORT", "SVM_SIM_JSON"};
    strbuf text;
    for (int i = 0; i < 2; i++) {
        strbuf_init(&text, r->arena);
        reports[i](report, &text);
        if (i == 0 && getenv("SVM_SIM_TIME"))
            fputs(text.data, stderr);
        writeFile(r, "report", variables[i], &text);
    }
    strbuf_init(&text, r->arena);
    sim_trace_json(r->engine, &text);
    writeFile(r, "timeline", "SVM_SIM_TRACE", &text);
    strbuf_init(&text, r->arena);
    sim_trace_gantt(r->engine, program, &text);
    writeFile(r, "timeline", "SVM_SIM_GANTT", &text);
}

static void writeAtExit(void)
{
    for (; alive; alive = alive->nextReplay)
        writeResults(alive);
    if (failed) {
        fflush(NULL);
        _exit(1);
    }
}

void svmr_timedRegister(svmr_Replay *r)
{
    if (count++ == 0)
        atexit(writeAtExit);
    r->number = count;
    r->nextReplay = alive;
    alive = r;
}

void svmr_timedResults(svmr_Replay *r)
{
    svmr_Replay **at = &alive;
    while (*at && *at != r)
        at = &(*at)->nextReplay;
    if (!*at)
        return;
    writeResults(r);
    *at = r->nextReplay;
}
