// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The HyperTransport link: requests and writes share the way out, responses have the way in. Both ways are queues; a
// read waits until fewer than the allowed number are under way, so the n-th read waits for the response to the (n -
// 32)-th.
#include <stdlib.h>

#include "runtime/softproc/cycle.h"

bool sp_link_init(sp_link *l, const svm_SpParameters *p)
{
    *l = (sp_link){.bytes_per_cycle = p->linkBandwidth / p->clock,
                   .before = (p->requestLatency + p->hostLatency + p->memoryLatency) * p->clock,
                   .after = p->responseLatency * p->clock,
                   .request = p->requestBytes,
                   .response_header = p->responseHeader,
                   .write_header = p->writeHeader,
                   .largest_packet = p->largestPacket,
                   .capacity = p->outstandingReads};
    l->received = calloc(l->capacity, sizeof *l->received);
    return l->received != NULL;
}

void sp_link_free(sp_link *l)
{
    free(l->received);
    l->received = NULL;
}

static double later(double a, double b)
{
    return a > b ? a : b;
}

// Packets hold whole words of four bytes.
static uint32_t words(uint32_t bytes)
{
    return (bytes + 3) / 4 * 4;
}

double sp_link_read(sp_link *l, sp_stats *s, double at, uint32_t bytes)
{
    double begin = later(later(at, l->out_free), l->received[l->next]);
    l->out_free = begin + l->request / l->bytes_per_cycle;
    uint32_t wire = l->response_header + words(bytes);
    l->in_free = later(l->out_free + l->before, l->in_free) + wire / l->bytes_per_cycle;
    double received = l->in_free + l->after;
    l->received[l->next] = received;
    if (++l->next == l->capacity)
        l->next = 0;
    s->reads++;
    s->read_bytes += bytes;
    s->request_wire += l->request;
    s->response_wire += wire;
    s->read_cycles += received - at;
    return received;
}

double sp_link_write(sp_link *l, sp_stats *s, double at, uint64_t bytes)
{
    uint64_t packets = (bytes + l->largest_packet - 1) / l->largest_packet;
    uint64_t wire = (bytes + 3) / 4 * 4 + packets * l->write_header;
    l->out_free = later(at, l->out_free) + (double)wire / l->bytes_per_cycle;
    s->write_bytes += bytes;
    s->write_wire += wire;
    return l->out_free;
}
