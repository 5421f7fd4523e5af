// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The assembler: what is done when the whole text has been read. Labels become addresses; unless the text says .manual,
// the last instruction waits, presubtract hazards get their bubble and, where the text has no semaphore flags of its
// own, lookups are covered by acquires and their consumers wait.
#include <stdlib.h>
#include <string.h>

#include "llc/softproc/assembler.h"

static void resolve_labels(sp_assembler *s)
{
    for (VEC_EACH(sp_item, item, &s->items)) {
        if (item->jump == NULL)
            continue;
        if (item->jump[0] == '@') { // a loop, by its begin
            unsigned begin = (unsigned)strtoul(item->jump + 1, NULL, 10);
            unsigned behind = s->items.data[begin].in.f[SP_F_FC_JUMP];
            item->in.f[SP_F_FC_JUMP] = (behind - (item->in.f[SP_F_FC_OP] == SP_FC_CONTINUE)) & 511;
            continue;
        }
        const sp_label *label = hmap_get(&s->labels, item->jump);
        if (label == NULL) {
            VEC(const char *) names = {0};
            for (size_t i = 0; i < s->labels.len; i++)
                VEC_PUSH(s->arena, &names, s->labels.entries[i].key);
            const char *near = diag_nearest(item->jump, names.data, names.len);
            if (near != NULL)
                diag_error(s->diag, item->jump_range, "there is no label '%.40s'; did you mean '%s'?", item->jump,
                           near);
            else
                diag_error(s->diag, item->jump_range, "there is no label '%.40s'", item->jump);
        } else {
            item->in.f[SP_F_FC_JUMP] = label->at & 511;
        }
    }
}

// ---- Semaphores ----

typedef struct pending {
    uint64_t bits[SP_TEMP_WORDS];
    bool any, relative; // some lookup is under way; one goes to a register that is not known
} pending;

static bool depends(const sp_instruction *in, const pending *p)
{
    sp_temp_uses u = sp_temps_used(in);
    if (!p->any)
        return false;
    if (in->f[SP_F_TYPE] == SP_FC || u.any)
        return true;
    uint64_t common = 0, used = 0;
    for (size_t i = 0; i < SP_TEMP_WORDS; i++) {
        common |= p->bits[i] & (u.read[i] | u.written[i]);
        used |= u.read[i] | u.written[i];
    }
    return common != 0 || (p->relative && used != 0);
}

static bool *find_targets(sp_assembler *s)
{
    bool *targets = ARENA_ARRAY(s->arena, bool, SP_MAX_INSTRUCTIONS + 1);
    for (size_t i = 0; i < s->items.len; i++) {
        const sp_instruction *in = &s->items.data[i].in;
        if (in->f[SP_F_TYPE] != SP_FC)
            continue;
        targets[in->f[SP_F_FC_JUMP]] = true;
        targets[i + 1] = true; // also behind a call
    }
    return targets;
}

// Lookups are covered within straight pieces of code: whatever begins the next piece waits for all of them.
static void set_semaphores(sp_assembler *s)
{
    pending p = {{0}, false, false};
    size_t last_lookup = 0;
    bool *targets = find_targets(s);
    for (size_t i = 0; i < s->items.len; i++) {
        sp_instruction *in = &s->items.data[i].in;
        // Only what falls into a target needs care here: what jumps there is flow control, which has waited.
        bool end = i + 1 == s->items.len || in->f[SP_F_LAST] != 0 || (targets[i] && p.any);
        if (p.any && (end || depends(in, &p))) {
            s->items.data[last_lookup].in.f[SP_F_SEM_ACQUIRE] = 1;
            s->items.data[last_lookup].in.f[SP_F_SEM_WAIT] = 1;
            in->f[SP_F_SEM_WAIT] = 1;
            p = (pending){{0}, false, false};
        }
        unsigned op = in->f[SP_F_TEX_OP];
        if (in->f[SP_F_TYPE] != SP_TEX || !sp_tex_ops[op].reads)
            continue;
        p.any = true;
        p.relative = p.relative || in->f[SP_F_TEX_DST_REL] != 0;
        sp_temp_uses u = sp_temps_used(in);
        for (size_t k = 0; k < SP_TEMP_WORDS; k++)
            p.bits[k] |= u.written[k];
        last_lookup = i;
    }
}

// Gives the bubble where the verifier would miss it.
static void set_bubbles(sp_assembler *s)
{
    for (size_t i = 0; i + 1 < s->items.len; i++) {
        sp_instruction *first = &s->items.data[i].in;
        const sp_instruction *second = &s->items.data[i + 1].in;
        if (first->f[SP_F_TYPE] > SP_OUT || second->f[SP_F_TYPE] > SP_OUT)
            continue;
        sp_reads reads = sp_sources_read(second);
        for (unsigned half = 0; half < 2; half++)
            for (unsigned k = 0; k < 3; k++) {
                unsigned address = second->f[sp_halves[half].addr[k]];
                if ((reads.presubtract[half] >> k & 1) == 0 || address >= SP_ADDR_INLINE)
                    continue;
                for (unsigned w = 0; w < 2; w++) {
                    const sp_half_fields *h = &sp_halves[w];
                    if (first->f[h->wmask] != 0 && (first->f[h->addrd] == address || first->f[h->addrd_rel] != 0 ||
                                                    second->f[sp_halves[half].rel[k]] != 0))
                        first->f[SP_F_NOP] = 1;
                }
            }
    }
}

// ---- The program ----

typedef struct fault_sink {
    sp_assembler *assembler;
} fault_sink;

static void report(void *user, int instruction, const char *message)
{
    sp_assembler *s = ((fault_sink *)user)->assembler;
    src_range range = {s->file, 0, 0};
    if (instruction >= 0 && (size_t)instruction < s->items.len)
        range = s->items.data[instruction].range;
    diag_error(s->diag, range, "%s", message);
}

void sp_assemble_finish(sp_assembler *s)
{
    sp_program *p = s->program;
    size_t errors = s->diag->error_count;
    if (s->items.len == 0) {
        diag_error(s->diag, (src_range){s->file, 0, 0}, "the program has no instructions");
        return;
    }
    resolve_labels(s);
    if (!s->manual) {
        set_bubbles(s);
        if (!s->semaphores)
            set_semaphores(s);
        VEC_LAST(&s->items).in.f[SP_F_SEM_WAIT] = 1;
        for (VEC_EACH(sp_item, item, &s->items))
            if (item->in.f[SP_F_LAST] != 0 && item->in.f[SP_F_TYPE] == SP_OUT)
                item->in.f[SP_F_SEM_WAIT] = 1;
    }
    p->count = (uint32_t)s->items.len;
    p->end = p->count - 1;
    for (size_t i = 0; i < s->items.len; i++)
        sp_encode(&s->items.data[i].in, p->words[i]);
    if (s->diag->error_count != errors)
        return;
    unsigned given = p->temps;
    sp_collect_uses(p);
    if (given != 0 && p->temps > given)
        diag_error(s->diag, (src_range){s->file, 0, 0}, "the program uses %lu registers, .temps allows %u",
                   (unsigned long)p->temps, given);
    for (unsigned i = 0; i < SP_MAX_CONSTANTS; i++)
        if (sp_bit(p->given_floats, i))
            sp_set_bit(p->floats, i);
    p->ints |= p->given_ints;
    p->bools |= p->given_bools;
    sp_faults faults = {report, &(fault_sink){s}, 0};
    sp_verify(p, &faults);
}

uint8_t *sp_container(arena *a, const sp_program *p, size_t *size)
{
    *size = sp_container_write(p, NULL, 0);
    uint8_t *bytes = arena_alloc(a, *size);
    sp_container_write(p, bytes, *size);
    return bytes;
}

typedef struct container_sink {
    diag_engine *diag;
    arena *arena;
    const char *name;
} container_sink;

static void report_container(void *user, int instruction, const char *message)
{
    const container_sink *c = user;
    if (instruction >= 0)
        diag_error_at(c->diag, c->name, "instruction %d: %s", instruction, message);
    else
        diag_error_at(c->diag, c->name, "%s", message);
}

sp_program *sp_read_program(arena *a, diag_engine *d, const char *name, const void *data, size_t size)
{
    sp_program *p = ARENA_NEW(a, sp_program);
    sp_faults faults = {report_container, &(container_sink){d, a, name}, 0};
    return sp_container_read(p, data, size, &faults) && sp_verify(p, &faults) ? p : NULL;
}
