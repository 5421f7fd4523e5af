// Random networks of kernels and streams with small capacities compute the same, print the same and run into the same deadlocks
// (with the same report) on any number of workers, and under the adversary.
// RUN: %host -o %t && env SVM_WORKERS=1 %t 1 60 > %t.1 && env SVM_WORKERS=2 %t 1 60 > %t.2 && env SVM_WORKERS=4 %t 1 60 > %t.4
// RUN: diff %t.1 %t.2 && diff %t.1 %t.4
// RUN: %host -o %t && %t 1 60 | FileCheck %s
// RUN: %host-tsan -o %t && env SVM_WORKERS=3 %t 1 60 > %t.3 && diff %t.1 %t.3
// RUN: %host-asan -o %t && env SVM_WORKERS=4 %t 1 60 > %t.5 && diff %t.1 %t.5
// RUN: env SVM_ADVERSARY=3 %t 1 60 | sed 's/; it is .*//' > %t.6 && sed 's/; it is .*//' %t.1 | diff - %t.6
// RUN: FileCheck %s < %t.1
// CHECK-DAG: {{^}}deadlock {{.*}} waits to push to 's{{[0-9]+}}', which is full
// CHECK-DAG: {{^}}finished {{[0-9a-f]+}}
#include "smp.h"

#include "check.h"

enum { KERNELS = 12, PORTS = 4 };

typedef struct Node {
    svm_Kernel kernel;
    svm_Stream *in[PORTS], *out[PORTS];
    int ins, outs, count, style;
    uint32_t hash;
    svm_Log log;
    char name[16];
} Node;

typedef struct Queue {
    svm_Stream stream;
    char name[16];
} Queue;

static uint32_t state;

static uint32_t below(uint32_t n)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % n;
}

// Takes one element of each input, and pushes to all outputs, or to one that the data choose, or to the first more often.
static bool fire(Node *self, uint32_t i)
{
    uint32_t v = i;
    for (int j = 0; j < self->ins; j++) {
        uint32_t element;
        if (svm_streamEnded(self->in[j]))
            return false;
        svm_streamPop(self->in[j], &element);
        v = v * 31 + element;
    }
    self->hash = self->hash * 33 + v;
    for (int j = 0; j < self->outs; j++)
        if (self->style != 1 || v % (uint32_t)self->outs == (uint32_t)j)
            svm_streamPush(self->out[j], &self->hash);
    if (self->style == 2 && self->outs && i % 3 == 0)
        svm_streamPush(self->out[0], &v);
    if (i % 16 == 0) {
        svm_printInt(&self->log, (int32_t)self->hash);
        svm_printMark(&self->log);
    }
    return true;
}

static void run(svm_Kernel *k)
{
    Node *self = (Node *)k;
    for (uint32_t i = 0; (self->ins || i < (uint32_t)self->count) && fire(self, i); i++)
        continue;
    for (int j = 0; j < self->outs; j++)
        svm_streamEnd(self->out[j]);
}

static jmp_buf back;

static void onError(const svm_ErrorReport *r, void *context)
{
    (void)context;
    printf("%s %s\n", r->error_name, r->message);
    longjmp(back, 1);
}

static void connectAll(Node *nodes, int count, Queue *queues)
{
    int used = 0;
    for (int i = 1; i < count; i++)
        for (int ports = 1 + (int)below(3); ports > 0; ports--) {
            Node *from = &nodes[below((uint32_t)i)];
            size_t capacity = 1 + below(below(4) ? 6 : 200);
            if (from->outs == PORTS)
                continue;
            Queue *q = &queues[used++];
            svm_streamInit(&q->stream, &GMEM, svm_alloc(&GMEM, capacity * 4), capacity, 4);
            snprintf(q->name, sizeof q->name, "s%d", used);
            svm_streamName(&q->stream, q->name);
            from->out[from->outs++] = nodes[i].in[nodes[i].ins++] = &q->stream;
        }
}

static void network(uint32_t seed)
{
    static svm_Processor *const cores[] = {&CORE0, &CORE1, &CORE2, &CORE3};
    static Node nodes[KERNELS];
    static Queue queues[KERNELS * 3];
    memset(nodes, 0, sizeof nodes);
    state = seed * 7919 + 17;
    int count = 2 + (int)below(KERNELS - 1);
    svm_Log *logs[KERNELS];
    connectAll(nodes, count, queues);
    for (int i = 0; i < count; i++) {
        nodes[i].style = (int)below(3);
        nodes[i].count = 50 + (int)below(200);
        snprintf(nodes[i].name, sizeof nodes[i].name, "k%d", i);
        svm_kernelInit(&nodes[i].kernel, cores[below(4)], run, nodes[i].name);
        logs[i] = &nodes[i].log;
    }
    if (!setjmp(back)) {
        for (int i = 0; i < count; i++)
            svm_kernelRun(&nodes[i].kernel);
        for (int i = 0; i < count; i++)
            svm_kernelWait(&nodes[i].kernel);
        printf("finished");
        for (int i = 0; i < count; i++)
            printf(" %08x", nodes[i].hash);
        printf("\n");
    }
    svm_printMerge(logs, (size_t)count);
    printf("\n");
    for (int i = 0; i < count; i++)
        svm_logDestroy(logs[i]);
}

int main(int argc, char **argv)
{
    CHECK(argc == 3);
    svm_setErrorHandler(onError, NULL);
    for (int seed = atoi(argv[1]); seed <= atoi(argv[2]); seed++) {
        svm_Machine *m = svm_machineCreate();
        svm_machineUse(m);
        network((uint32_t)seed);
        svm_machineDestroy(m);
    }
    return 0;
}
