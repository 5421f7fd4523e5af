// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What passes ask about the processors that kernels will run on, before there is a plan.
#include "hlc/passes/pass.h"
#include "targets/machine.h"

// Floats of the least vector that counts; bytes of one with which lanes give more than a few processors do.
enum { LEAST_LANES = 4, WIDE_VECTOR = 16 };

bool pass_has_vectors(const hlc_program *p)
{
    const struct machine *m = p->machine;
    bool vectors = m == NULL;
    for (size_t i = 0; m != NULL && i < m->processors.len; i++)
        vectors |= m->processors.data[i].kind == MACHINE_processor_kind_KERNEL &&
                   machine_vector_bytes(&m->processors.data[i]) >= LEAST_LANES * sizeof(float);
    return vectors;
}

// Where state cannot be kept, whoever has it is told by its own name.
bool pass_keeps_state(const hlc_program *p)
{
    bool keeps = true;
    for (size_t i = 0; p->machine != NULL && i < p->machine->processors.len; i++) {
        const machine_processor *k = &p->machine->processors.data[i];
        keeps &= k->kind != MACHINE_processor_kind_KERNEL || k->abilities.state;
    }
    return keeps;
}

// Whether all processors for kernels have wide vectors and caches; how many there are.
static bool are_wide(const hlc_program *p, size_t *count)
{
    bool wide = true;
    *count = 0;
    for (size_t i = 0; p->machine != NULL && i < p->machine->processors.len; i++) {
        const machine_processor *k = &p->machine->processors.data[i];
        if (k->kind != MACHINE_processor_kind_KERNEL)
            continue;
        ++*count;
        wide &= k->caches.len != 0 && machine_vector_bytes(k) >= WIDE_VECTOR;
    }
    return wide;
}

bool pass_shares_out(const hlc_program *p)
{
    size_t count;
    bool wide = are_wide(p, &count);
    return count > 1 && !wide;
}

bool pass_shares_state(const hlc_program *p, size_t most)
{
    size_t count;
    bool wide = are_wide(p, &count);
    if (wide && p->config->processors > 0 && (size_t)p->config->processors < count)
        count = (size_t)p->config->processors;
    return count > (wide ? most : 1);
}
