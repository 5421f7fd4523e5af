// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams from node to node: the sender's engine stores the records to its memory, the receiver copies them to its own
// and its engine loads them.
#include "runtime/common/instructions.h"
#include "runtime/common/nodes.h"

#include <stdlib.h>
#include <string.h>

// A send, which its sender waits for until it is received.
struct svmr_Message {
    size_t from, to;
    int tag;
    size_t recordSize, records; // words; records
    const void *data;
    enum { SENT, TAKEN, REFUSED } state;
    size_t room; // REFUSED: what the receiver has room for
    size_t wantedSize;
    svmr_Message *next;
};

static void checkPartner(const svm_Node *self, size_t other, svmr_Place at)
{
    svmr_checkNode(self, at);
    svmr_checkNodeNumber(self, other, at);
    if (other == self->id)
        svmr_fail(self->machine, SVM_ERROR_BAD_ARGUMENT, "", at, "node %zu would send to itself", other);
}

static void append(svmr_World *w, svmr_Message *m)
{
    svmr_Message **end = &w->messages;
    while (*end)
        end = &(*end)->next;
    *end = m;
}

static void delist(svmr_World *w, const svmr_Message *m)
{
    svmr_Message **link = &w->messages;
    while (*link && *link != m)
        link = &(*link)->next;
    if (*link)
        *link = m->next;
}

// The node's last send ended by an error (a deadlock), and its message was left (locked).
static void withdraw(svmr_Node *n)
{
    if (!n->sending)
        return;
    delist(n->world, n->sending);
    free(n->sending);
    n->sending = NULL;
}

void svmr_freeMessages(svmr_World *w)
{
    for (size_t i = 0; i < w->count; i++)
        withdraw(&w->nodes[i]);
}

static SVMR_COLD _Noreturn void failRefused(const svm_Node *self, const svmr_Message *m, svmr_Place at)
{
    svmr_fail(self->machine, SVM_ERROR_SIZE_MISMATCH, "", at,
              "node %zu sends %zu records of %zu words to node %zu, which has room for %zu of %zu words", m->from,
              m->records, m->recordSize, m->to, m->room, m->wantedSize);
}

// ---- Sending ----

static svm_Fence send(svm_Node *self, svm_StreamUnit *u, size_t to, int tag, size_t srf, size_t count,
                      const svm_Fence fences[], svmr_Place at)
{
    const svm_StreamSRFReg *reg = svmr_srfRegister(u, srf, at);
    checkPartner(self, to, at);
    size_t bytes = reg->stream_length * reg->stream_record_size * SVM_WORD;
    size_t recordSize = reg->stream_record_size;
    size_t staging = svm_allocAt(u->memory, bytes, at.file, at.line);
    svm_Fence fence = svmr_storeDense(u, srf, staging, count, fences, at);
    svm_synchAt(u, fence, at.file, at.line);
    svm_Block block;
    svm_blockInitAt(&block, u->memory, staging, bytes, 1, at.file, at.line);
    svmr_Node *n = self->private_;
    svmr_World *w = n->world;
    svmr_Message message = {.from = self->id,
                            .to = to,
                            .tag = tag,
                            .recordSize = recordSize,
                            .records = svm_streamRecordsAt(u, srf, at.file, at.line),
                            .data = svm_blockData(&block)};
    svmr_lockWorld(w, at);
    withdraw(n);
    svmr_Message *m = n->sending = svmr_allocate(1, sizeof *m);
    *m = message;
    append(w, m);
    svmr_tellWorld(w, at);
    while (m->state == SENT)
        svmr_waitWorld(w, at);
    message = *m;
    withdraw(n);
    svmr_unlockWorld(w, at);
    svm_freeAt(u->memory, staging, at.file, at.line);
    if (message.state == REFUSED)
        failRefused(self, &message, at);
    return fence;
}

// ---- Receiving ----

// Takes the oldest message with that sender and tag out of the world's, waiting until there is one.
static svmr_Message *take(svmr_World *w, size_t from, size_t to, int tag, svmr_Place at)
{
    for (;;) {
        for (svmr_Message *m = w->messages; m; m = m->next)
            if (m->from == from && m->to == to && m->tag == tag) {
                delist(w, m);
                return m;
            }
        svmr_waitWorld(w, at);
    }
}

static svm_Fence receive(svm_Node *self, svm_StreamUnit *u, size_t from, int tag, size_t srf, size_t count,
                         const svm_Fence fences[], svmr_Place at)
{
    svm_StreamSRFReg reg = *svmr_srfRegister(u, srf, at);
    checkPartner(self, from, at);
    size_t bytes = reg.stream_length * reg.stream_record_size * SVM_WORD;
    size_t staging = svm_allocAt(u->memory, bytes, at.file, at.line);
    svm_Block block;
    svm_blockInitAt(&block, u->memory, staging, bytes, 1, at.file, at.line);
    svmr_World *w = self->private_->world;
    svmr_lockWorld(w, at);
    withdraw(self->private_);
    svmr_Message *m = take(w, from, self->id, tag, at), message;
    bool fits = m->recordSize == reg.stream_record_size && m->records <= reg.stream_length;
    if (fits)
        memcpy(svm_blockData(&block), m->data, m->records * m->recordSize * SVM_WORD);
    m->room = reg.stream_length;
    m->wantedSize = reg.stream_record_size;
    m->state = fits ? TAKEN : REFUSED;
    message = *m; // it is gone when its sender goes on
    svmr_tellWorld(w, at);
    svmr_unlockWorld(w, at);
    svm_Fence fence = 0;
    if (fits) {
        fence = svmr_loadDense(u, staging, message.records, srf, count, fences, at);
        svm_synchAt(u, fence, at.file, at.line);
    }
    svm_freeAt(u->memory, staging, at.file, at.line);
    if (!fits)
        failRefused(self, &message, at);
    return fence;
}

// ---- The API ----

#define FORMS(Name, move)                                                                                              \
    svm_Fence svm_##Name##AfterAt(svm_Node *self, svm_StreamUnit *u, size_t other, int tag, size_t srfRegister,        \
                                  size_t count, const svm_Fence fences[], const char *file, int line)                  \
    {                                                                                                                  \
        return move(self, u, other, tag, srfRegister, count, fences, SVMR_PLACE("svm_" #Name));                        \
    }                                                                                                                  \
    svm_Fence svm_##Name##ListAt(svm_Node *self, svm_StreamUnit *u, size_t other, int tag, size_t srfRegister,         \
                                 size_t length, const svm_Fence list[], const char *file, int line)                    \
    {                                                                                                                  \
        svmr_Place at = SVMR_PLACE("svm_" #Name);                                                                      \
        size_t count;                                                                                                  \
        const svm_Fence *fences = svmr_fenceList(u, length, list, &count, at);                                         \
        return move(self, u, other, tag, srfRegister, count, fences, at);                                              \
    }
FORMS(StreamSend, send)
FORMS(StreamReceive, receive)
