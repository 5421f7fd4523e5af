// Drives a library: NAME is its prefix, HEADER its header, IN and OUT the types of its items as its header has them, or
// undefined.
//
//   drive MODE SEED MOST INPUT OUTPUT [LIMIT]
//
// Items go in and out in pieces of 0 to MOST, by chance. MODE is once; reset: after some of the input has been given,
// everything begins again; two: two instances in turn, which must give the same; threads: four of them, each in a thread.
// LIMIT: items to be given at most, for programs that never end.
#include HEADER

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PASTE(a, b) a##b
#define JOIN(a, b) PASTE(a, b)
#define CALL(function) JOIN(NAME, JOIN(_, function))

typedef struct Run {
    NAME *program;
    unsigned seed, most;
    const char *input;
    char *output;
    size_t inputLength, given, outputLength, outputRoom, limit; // bytes
    int ended;
} Run;

static void fail(const Run *r)
{
    fflush(stdout);
    fprintf(stderr, "%s\n", CALL(error)(r->program));
    exit(1);
}

static __attribute__((unused)) size_t chance(Run *r)
{
    r->seed = r->seed * 1103515245u + 12345u;
    return (r->seed >> 8) % (r->most + 1);
}

#ifdef OUT
static OUT *place(Run *r, size_t count)
{
    if (r->outputLength + count * SIZE_OUT > r->outputRoom) {
        r->outputRoom = 2 * r->outputRoom + count * SIZE_OUT;
        r->output = realloc(r->output, r->outputRoom);
    }
    return (OUT *)(void *)(r->output + r->outputLength);
}
#endif

// One call.
static void step(Run *r)
{
    int result;
#ifdef IN
    size_t consumed = 0;
    size_t count = chance(r), left = (r->inputLength - r->given) / SIZE_IN;
    if (count > left)
        count = left;
    const IN *in = (const IN *)(const void *)(r->input + r->given);
#endif
#ifdef OUT
    size_t produced = 0;
    size_t capacity = chance(r);
    if (capacity > (r->limit - r->outputLength) / SIZE_OUT)
        capacity = (r->limit - r->outputLength) / SIZE_OUT;
#endif
#if defined(IN) && defined(OUT)
    if (left == 0)
        result = CALL(drain)(r->program, place(r, capacity), capacity, &produced);
    else
        result = CALL(process)(r->program, in, count, &consumed, place(r, capacity), capacity, &produced);
#elif defined(IN)
    result = left == 0 ? CALL(drain)(r->program) : CALL(process)(r->program, in, count, &consumed);
#elif defined(OUT)
    result = CALL(process)(r->program, place(r, capacity), capacity, &produced);
#else
    result = CALL(run)(r->program, r->most);
    if (result >= 0)
        result = CALL(drain)(r->program);
    r->ended = 1;
#endif
    if (result < 0)
        fail(r);
#ifdef IN
    if (consumed > count)
        abort();
    r->given += consumed * SIZE_IN;
#endif
#ifdef OUT
    if (produced > capacity)
        abort();
    r->outputLength += produced * SIZE_OUT;
    r->ended |= r->outputLength == r->limit;
#endif
    r->ended |= result == CALL(ENDED);
}

static Run begin(unsigned seed, unsigned most, const char *input, size_t length, size_t limit)
{
    Run r = {.seed = seed, .most = most, .input = input, .inputLength = length, .limit = limit};
    r.program = CALL(create)();
    if (r.program == NULL)
        fail(&r);
    return r;
}

static void *runAll(void *run)
{
    Run *r = run;
    while (!r->ended)
        step(r);
    return NULL;
}

static void same(const Run *a, const Run *b)
{
    if (a->outputLength != b->outputLength ||
        (a->outputLength != 0 && memcmp(a->output, b->output, a->outputLength) != 0)) {
        fprintf(stderr, "the outputs differ\n");
        exit(1);
    }
}

static void end(Run *r)
{
    if (CALL(destroy)(r->program) != CALL(OK))
        fail(&(Run){0});
    free(r->output);
}

int main(int argc, char **argv)
{
    if (argc < 6)
        return 2;
    const char *mode = argv[1];
    unsigned seed = (unsigned)atoi(argv[2]), most = (unsigned)atoi(argv[3]);
    static char input[1 << 22];
    size_t length = 0, limit = (size_t)-1 / 2;
    FILE *f = fopen(argv[4], "rb");
    if (f != NULL) {
        length = fread(input, 1, sizeof input, f);
        fclose(f);
    }
#ifdef OUT
    if (argc > 6)
        limit = (size_t)atoi(argv[6]) * SIZE_OUT;
#endif
    Run runs[4];
    int count = strcmp(mode, "threads") == 0 ? 4 : strcmp(mode, "two") == 0 ? 2 : 1;
    for (int i = 0; i < count; i++)
        runs[i] = begin(seed + (unsigned)i, most, input, length, limit);
    if (strcmp(mode, "reset") == 0) {
        for (int i = 0; i < 40 && !runs[0].ended; i++)
            step(&runs[0]);
        if (CALL(reset)(runs[0].program) != CALL(OK))
            fail(&runs[0]);
        runs[0].given = runs[0].outputLength = 0;
        runs[0].ended = 0;
    }
    if (count == 4) {
        pthread_t threads[4];
        for (int i = 0; i < 4; i++)
            pthread_create(&threads[i], NULL, runAll, &runs[i]);
        for (int i = 0; i < 4; i++)
            pthread_join(threads[i], NULL);
    }
    for (int left = 1; left;) {
        left = 0;
        for (int i = 0; i < count; i++)
            if (!runs[i].ended) {
                step(&runs[i]);
                left = 1;
            }
    }
    for (int i = 1; i < count; i++)
        same(&runs[0], &runs[i]);
    f = fopen(argv[5], "wb");
    if (f == NULL ||
        fwrite(runs[0].output == NULL ? "" : runs[0].output, 1, runs[0].outputLength, f) != runs[0].outputLength)
        return 1;
    fclose(f);
    for (int i = 0; i < count; i++)
        end(&runs[i]);
    return 0;
}
