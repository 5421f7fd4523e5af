// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs in which kernels promise SVM_KERNEL(input_first): which of an SPE's kernels begins, where the first waits for its
// input; and news of what is complete though one before is not.
#include "streams.h"
#include "svm_resident.h"

// Those from number `first` on, until before `next`. Number n is in slot n % SVM_CELL_WINDOW.
typedef struct Slots {
    const Slot *slots;
    uint32_t first, next;
} Slots;

// ---- Which kernel begins ----

static bool is_there(const svm_CellStream *s)
{
    return s->written != s->read;
}

// What the moves of a stream are that the SPE looks at.
typedef struct Moves {
    bool fill_waits, fills, empty_waits, empties; // wait for other commands; have begun, and are not over
} Moves;

static Moves moves_of(Slots w, uint32_t stream)
{
    Moves m = {false, false, false, false};
    for (uint32_t n = w.first; n != w.next; n++) {
        const Slot *slot = &w.slots[n % SVM_CELL_WINDOW];
        const uint32_t kind = slot->command->kind;
        if (slot->command->ls != stream || slot->state == COMPLETE)
            continue;
        const bool waits = slot->state == WAITING;
        m.fill_waits |= kind == SVM_CELL_FILL && waits;
        m.fills |= kind == SVM_CELL_FILL && !waits;
        m.empty_waits |= kind == SVM_CELL_EMPTY && waits;
        m.empties |= kind == SVM_CELL_EMPTY && !waits;
    }
    return m;
}

// What the run pops of it is to come, and the move that brings it waits for other commands.
static bool is_late(Slots w, uint32_t stream)
{
    const Moves m = moves_of(w, stream);
    return m.fill_waits && !m.fills && !is_there((const svm_CellStream *)stream);
}

// All that the run pops is there, or is being moved from memory; all that it pushes is moved there as it comes. A move that
// empties it, and finds nothing, is the run's own: that of the run before would be over.
static bool is_moved(Slots w, uint32_t stream)
{
    const Moves m = moves_of(w, stream);
    if (m.empties || m.empty_waits)
        return m.empties && !is_there((const svm_CellStream *)stream);
    return m.fills || is_there((const svm_CellStream *)stream);
}

// Runs of a kernel keep their order.
static bool is_behind_its_own(Slots w, uint32_t number)
{
    const uint32_t kernel = w.slots[number % SVM_CELL_WINDOW].command->kernel;
    for (uint32_t n = w.first; n != number; n++) {
        const Slot *slot = &w.slots[n % SVM_CELL_WINDOW];
        if (slot->command->kind == SVM_CELL_KERNEL && slot->state == WAITING && slot->command->kernel == kernel)
            return true;
    }
    return false;
}

// A kernel has begun before one that was to begin first; the last such: its command's number.
static bool any_passed;
static uint32_t passed;

// A kernel that waits for its streams keeps the SPE, so the first begins when something of each input is to be had without other
// commands. One that passes it ends by what is under way alone. An SPE that has run one kernel only waits in that.
static bool begins(Slots w, uint32_t number, bool passes)
{
    static uint32_t kernel; // plus 1
    static bool several;
    const svm_CellCommand *c = w.slots[number % SVM_CELL_WINDOW].command;
    const uint32_t *streams = (const uint32_t *)((const char *)c + svm_cellHead(c));
    const uint32_t count = (c->ls - svm_cellHead(c)) / sizeof *streams;
    several |= kernel != 0 && kernel != c->kernel + 1;
    kernel = c->kernel + 1;
    if (!several || (passes && is_behind_its_own(w, number)))
        return !passes;
    for (uint32_t i = 0; i < count && streams[i] != 0; i++)
        if (passes ? !is_moved(w, streams[i]) : is_late(w, streams[i]))
            return false;
    return true;
}

static bool is_later(const Slot *slots, uint32_t first, uint32_t next, uint32_t number, bool ready, bool passes)
{
    const svm_CellCommand *c = slots[number % SVM_CELL_WINDOW].command;
    if (c->kind != SVM_CELL_KERNEL || c->ls == svm_cellHead(c))
        return passes;
    if (!ready || !begins((Slots){slots, first, next}, number, passes))
        return true;
    if (passes) {
        any_passed = true;
        passed = number;
    }
    return false;
}

// ---- What is complete though one before is not ----

// Those behind a kernel that another has passed. Not while the MFC has news, which might come behind. A TELL tells of what was
// before it, too, and again in its turn.
static uint32_t told_ahead(Slot *slots, uint32_t first, uint32_t next, uint32_t *ahead)
{
    const Slot *oldest = &slots[first % SVM_CELL_WINDOW];
    uint32_t mask = 0;
    bool any = false;
    *ahead = 0;
    if (!any_passed)
        return 0;
    for (uint32_t n = first; n != next; n++)
        *ahead |= (uint32_t)(slots[n % SVM_CELL_WINDOW].state == COMPLETE) << n % 32;
    if ((int32_t)(passed - first) < 0 || (oldest->told && oldest->state == UNDER_WAY))
        return 0;
    for (uint32_t n = first; n != next; n++) {
        Slot *slot = &slots[n % SVM_CELL_WINDOW];
        const svm_CellCommand *c = slot->command;
        const bool is_tell = c->kind == SVM_CELL_TELL;
        if (slot->state != COMPLETE || c->kind == SVM_CELL_PAD || c->tells == 0 || (slot->ahead && !(is_tell && any)))
            continue;
        any = true;
        mask |= c->tells;
        slot->ahead = true;
        slot->told = !is_tell;
    }
    return mask;
}

const svm_CellTurning svm_cellTurnsHere = {
    .is_later = is_later, .told_ahead = told_ahead, .wait = svm_cellWaitForInput};
