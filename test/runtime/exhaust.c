// svm_exhaust against firing one at a time, in random order, on random graphs with cycles, peeking and limits.
// RUN: %host -o %t && %t
// RUN: %host-asan -o %t && %t
#include "check.h"

enum { ACTORS = 6, CHANNELS = 8 };

static int32_t inputStart[ACTORS + 1], outputStart[ACTORS + 1];
static svm_Port inputs[CHANNELS];
static svm_OutPort outputs[CHANNELS];
static int64_t limits[ACTORS];

static int pick(int n) { return rand() % n; }

static bool canFire(int actor, const int64_t *tokens, const int64_t *firings)
{
    if (limits[actor] >= 0 && firings[actor] >= limits[actor])
        return false;
    for (int i = inputStart[actor]; i < inputStart[actor + 1]; i++)
        if (tokens[inputs[i].channel] < inputs[i].peek)
            return false;
    return true;
}

static void randomGraph(void)
{
    int from[CHANNELS], to[CHANNELS], in = 0, out = 0;
    for (int c = 0; c < CHANNELS; c++) {
        from[c] = pick(ACTORS);
        to[c] = pick(ACTORS);
    }
    for (int a = 0; a < ACTORS; a++) {
        inputStart[a] = in;
        outputStart[a] = out;
        for (int c = 0; c < CHANNELS; c++) {
            if (to[c] == a) {
                int pop = pick(4);
                inputs[in++] = (svm_Port){c, pop + pick(3), pop};
            }
            if (from[c] == a)
                outputs[out++] = (svm_OutPort){c, pick(4)};
        }
        limits[a] = pick(40); // cycles may gain tokens for ever
    }
    inputStart[ACTORS] = in;
    outputStart[ACTORS] = out;
}

int main(void)
{
    svm_RateTable table = {ACTORS, CHANNELS, inputStart, inputs, outputStart, outputs, limits};
    for (int round = 0; round < 20000; round++) {
        randomGraph();
        int64_t tokens[CHANNELS], reference[CHANNELS], firings[ACTORS], expected[ACTORS] = {0};
        for (int c = 0; c < CHANNELS; c++)
            tokens[c] = reference[c] = pick(30);
        for (int tries = 0; tries < ACTORS;) { // until none can fire
            int a = pick(ACTORS);
            bool any = false;
            for (int n = 0; n < ACTORS && !any; n++, a = (a + 1) % ACTORS)
                any = canFire(a, reference, expected);
            if (!any)
                break;
            a = (a + ACTORS - 1) % ACTORS;
            for (int i = inputStart[a]; i < inputStart[a + 1]; i++)
                reference[inputs[i].channel] -= inputs[i].pop;
            for (int i = outputStart[a]; i < outputStart[a + 1]; i++)
                reference[outputs[i].channel] += outputs[i].push;
            expected[a]++;
        }
        if (round % 2)
            svm_exhaust(&table, tokens, NULL, firings);
        else
            svm_exhaust(&(svm_RateTable){ACTORS, CHANNELS, inputStart, inputs, outputStart, outputs, NULL}, tokens, limits, firings);
        for (int a = 0; a < ACTORS; a++)
            CHECK(firings[a] == expected[a]);
        for (int c = 0; c < CHANNELS; c++)
            CHECK(tokens[c] == reference[c]);
    }

    // Long runs are counted, not stepped through; an actor that nothing limits does not fire.
    const int32_t starts[] = {0, 1, 2, 2}, outs[] = {0, 1, 1, 2};
    const svm_Port ports[] = {{0, 5, 1}, {1, 64, 8}};
    const svm_OutPort pushes[] = {{1, 2}, {2, 1}};
    int64_t tokens[3] = {INT64_C(1) << 40, 3, 0}, firings[3];
    svm_exhaust(&(svm_RateTable){3, 3, starts, ports, outs, pushes, NULL}, tokens, NULL, firings);
    CHECK(firings[0] == (INT64_C(1) << 40) - 4 && firings[1] == (2 * firings[0] + 3 - 64) / 8 + 1 && firings[2] == 0);
    return 0;
}
