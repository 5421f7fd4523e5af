// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The resident loop of an SPE: it runs the commands of its queue (svm/cell.h). Transfers go ahead of kernels, as soon as
// what they wait for is complete; kernels run one after the other in the order of the queue. A kernel that waits for a stream
// (streams.c) calls the loop, which then begins no other.
#include <spu_mfcio.h>
#include <string.h>

#include "instructions.h"
#include "streams.h"
#include "svm/svm.h"
#include "svm_cell.h"
#include "svm_resident.h"

enum { MOST_BYTES = 16384, TAG_FETCH = 30, TAG_TELL = 31, LISTS = 2, LIST_LENGTH = 64 };

// Commands that come again and again, `times * each` of them from number `first` on.
typedef struct Repeat {
    svm_CellRepeat its;
    uint32_t first, each, count;
} Repeat;

typedef struct Spe {
    // Commands by number: all below `first` are complete and told, those from `next` on are not looked at yet. Number n is
    // in slot n % SVM_CELL_WINDOW, and its transfers have that tag.
    uint32_t first, next;
    Slot slots[SVM_CELL_WINDOW];
    // Bytes that went through the ring: to the oldest command in it, what is looked through for repeats, what is decoded,
    // what is there, what a transfer brings.
    uint32_t oldest, seen, decoded, fetched, asked;
    uint32_t queued;         // bytes of the queue that were asked for
    const Repeat *repeating; // whose commands come now, or NULL: those of the queue;
    uint32_t at, left;       // bytes of this time that were asked for; times, with this one
    Repeat repeats[2];       // in turn
    uint32_t next_repeat;
    uint32_t told; // the `wanted` that the PPE was woken for
    bool quits;
    Slot *runs;       // the kernel's that runs, and may wait
    uint32_t running; // its command's number
    uint32_t ahead;   // as in an svm_CellCount
    bool defers;      // a kernel is not begun though nothing but its streams' transfers keeps it
} Spe;

static Spe here;
static svm_CellShared shared __attribute__((aligned(128))) = {.asleep = true};
// What is sent to others: an svm_CellCount, and in its last word the bit that this SPE has in a signal register.
typedef struct News {
    uint32_t count, ahead, again, bit;
} News;
static News news __attribute__((aligned(16)));
static News news_of_put __attribute__((aligned(16)));

// Lists of transfers under way, and the tag of each, in turn.
static mfc_list_element_t lists[LISTS][LIST_LENGTH] __attribute__((aligned(16)));
static uint32_t list_tags[LISTS], next_list;

static void wait_for_tags(uint32_t mask)
{
    mfc_write_tag_mask(mask);
    mfc_read_tag_status_all();
}

static const svm_CellTurning *turning(void)
{
    return &svm_cellTurning != NULL ? svm_cellTurning : NULL;
}

// ---- Commands come ----

// Bytes of the queue, or of a repeat, that may be asked for. What begins a lap may be a repeat's instead of the queue's,
// which is known when all before it was looked at.
static uint32_t to_come(const Spe *me)
{
    if (me->repeating != NULL)
        return me->repeating->its.bytes - me->at;
    return me->asked % svm_cellRingBytes == 0 && me->seen != me->asked ? 0 : shared.available - me->queued;
}

// Bytes that a transfer can bring now, in one piece.
static uint32_t to_fetch(const Spe *me)
{
    const uint32_t to_end = svm_cellRingBytes - me->asked % svm_cellRingBytes, used = me->asked - me->oldest;
    uint32_t bytes = to_come(me), room = used < svm_cellRingBytes ? svm_cellRingBytes - used : 0;
    if (bytes > room)
        bytes = room;
    if (bytes > to_end)
        bytes = to_end;
    return bytes < MOST_BYTES ? bytes : MOST_BYTES;
}

// The commands of a repeat come from now on, if there is a place for what it says: nothing under way is of the last but one.
static bool begin_repeat(Spe *me, const svm_CellCommand *c)
{
    Repeat *r = &me->repeats[me->next_repeat];
    if ((int32_t)(me->first - (r->first + r->count)) < 0)
        return false;
    memcpy(&r->its, (const char *)c + svm_cellHead(c), sizeof r->its);
    r->first = r->its.spes[shared.self].first;
    r->each = r->its.spes[shared.self].each;
    r->count = r->its.times * r->each;
    me->next_repeat = 1 - me->next_repeat;
    me->repeating = r;
    me->at = 0;
    me->left = r->its.times;
    return true;
}

// Looks through what came from the queue.
static bool look_for_repeats(Spe *me)
{
    const uint32_t before = me->seen;
    while (me->repeating == NULL && (int32_t)(me->fetched - me->seen) > 0) {
        const svm_CellCommand *c = (const svm_CellCommand *)(svm_cellRing + me->seen % svm_cellRingBytes);
        if (c->bytes > me->fetched - me->seen || (c->kind == SVM_CELL_REPEAT && !begin_repeat(me, c)))
            break;
        me->seen += c->bytes;
    }
    return me->seen != before;
}

// So many bytes were asked for.
static void move_on(Spe *me, uint32_t bytes)
{
    me->asked += bytes;
    if (me->repeating == NULL) {
        me->queued += bytes;
        return;
    }
    me->at += bytes;
    if (me->at == me->repeating->its.bytes) {
        me->asked += me->repeating->its.skipped;
        me->at = 0;
        me->repeating = --me->left != 0 ? me->repeating : NULL;
    }
    me->seen = me->asked;
}

static bool fetch(Spe *me)
{
    bool moved = false;
    if (me->asked != me->fetched) {
        mfc_write_tag_mask(1u << TAG_FETCH);
        if (!mfc_read_tag_status_immediate())
            return false;
        me->fetched = me->asked;
        moved = true;
    }
    moved |= look_for_repeats(me);
    const uint32_t at = me->asked % svm_cellRingBytes, bytes = to_fetch(me);
    if (bytes == 0)
        return moved;
    const uint64_t from =
        me->repeating != NULL ? me->repeating->its.commands + me->at : shared.queue + me->queued % shared.queueBytes;
    mfc_get(svm_cellRing + at, from, bytes, TAG_FETCH, 0, 0);
    move_on(me, bytes);
    return true;
}

static const Repeat *repeat_of(const Spe *me, uint32_t number)
{
    for (int i = 0; i < 2; i++)
        if (number - me->repeats[i].first < me->repeats[i].count)
            return &me->repeats[i];
    return NULL;
}

static bool decode(Spe *me)
{
    bool moved = false;
    while (me->next - me->first < SVM_CELL_WINDOW && me->fetched != me->decoded) {
        const svm_CellCommand *c = (const svm_CellCommand *)(svm_cellRing + me->decoded % svm_cellRingBytes);
        if (c->bytes > me->fetched - me->decoded)
            break;
        const Repeat *repeat = repeat_of(me, me->next);
        const uint32_t time = repeat != NULL ? (me->next - repeat->first) / repeat->each : 0;
        me->slots[me->next % SVM_CELL_WINDOW] = (Slot){.command = c, .repeat = repeat, .time = time};
        me->decoded += c->bytes;
        me->next++;
        moved = true;
    }
    return moved;
}

// ---- Others are told ----

// The PPE, and the SPEs of a mask, in that order: who hears of it from an SPE finds it with the PPE too. Behind what has the
// same tag.
static void send(News *n, uint32_t count, uint32_t mask, uint32_t tag)
{
    n->count = n->again = count;
    n->ahead = here.ahead;
    n->bit = 1u << shared.self;
    mfc_putf(n, shared.complete, sizeof *n, tag, 0, 0);
    for (uint32_t spe = 0; mask >> spe; spe++)
        if (mask >> spe & 1) {
            mfc_putf(n, shared.peers[spe].complete, sizeof *n, tag, 0, 0);
            mfc_sndsigf(&n->bit, shared.peers[spe].signal, tag, 0, 0);
        }
}

// The PPE wakes one SPE, and that the others.
static void rouse(void)
{
    static News signal __attribute__((aligned(16)));
    const uint32_t mask = shared.rouses;
    shared.rouses = 0;
    signal.bit = 1u << shared.self;
    for (uint32_t spe = 0; mask >> spe; spe++)
        if (mask >> spe & 1)
            mfc_sndsig(&signal.bit, shared.peers[spe].signal, TAG_TELL, 0, 0);
    wait_for_tags(1u << TAG_TELL);
}

// ---- Commands are done ----

// A transfer may be writing the words: then what is ahead is believed when its signal comes.
static bool has_heard(const svm_CellCount *of, uint32_t number)
{
    const uint32_t count = of->count, ahead = of->ahead;
    return (int32_t)(count - number) > 0 ||
           (number - count < SVM_CELL_WINDOW && (ahead >> number % 32 & 1) != 0 && of->again == count);
}

static bool is_complete(const Spe *me, svm_CellWait w)
{
    const uint32_t number = w.count - 1;
    if (w.spe != shared.self)
        return has_heard(&shared.complete_by[w.spe], number);
    return (int32_t)(me->first - w.count) >= 0 || me->slots[number % SVM_CELL_WINDOW].state == COMPLETE;
}

// What a command of a repeat waits for. Of its first time, where something else was before: for all that was before.
static bool is_complete_again(const Spe *me, const Slot *slot, svm_CellWait w)
{
    const svm_CellRepeat *r = &slot->repeat->its;
    const uint32_t first = r->spes[w.spe].first;
    if (slot->time != 0 || (int32_t)w.count > 0)
        w.count += first + slot->time * r->spes[w.spe].each;
    else if (r->goesOn)
        w.count += r->spes[w.spe].before;
    else if (w.spe == shared.self)
        return (int32_t)(me->first - first) >= 0;
    else
        w.count = first;
    return is_complete(me, w);
}

static bool is_ready(const Spe *me, const Slot *slot)
{
    const svm_CellCommand *c = slot->command;
    const svm_CellWait *waits = (const svm_CellWait *)(c + 1);
    for (uint32_t i = 0; i < c->waits; i++)
        if (slot->repeat != NULL ? !is_complete_again(me, slot, waits[i]) : !is_complete(me, waits[i]))
            return false;
    return true;
}

// Where the other side of a transfer is.
static uint64_t other_side(const Slot *slot)
{
    const svm_CellCommand *c = slot->command;
    if (slot->repeat == NULL || c->kernel == 0)
        return c->ea;
    const svm_CellRepeat *r = &slot->repeat->its;
    return c->ea + r->places[c->kernel - 1].at + slot->time * r->places[c->kernel - 1].step;
}

static void transfer(const Slot *slot, uint32_t tag)
{
    const svm_CellCommand *c = slot->command;
    const uint64_t ea = other_side(slot);
    for (uint32_t at = 0; at < c->length; at += MOST_BYTES) {
        const uint32_t bytes = c->length - at < MOST_BYTES ? c->length - at : MOST_BYTES;
        if (c->kind == SVM_CELL_GET)
            mfc_get((void *)(c->ls + at), ea + at, bytes, tag, 0, 0);
        else
            mfc_put((void *)(c->ls + at), ea + at, bytes, tag, 0, 0);
    }
}

// ---- Groups: lists of transfers ----

typedef struct Listing {
    const svm_CellCommand *c;
    uint32_t tag, ls, length, bytes; // where the list's bytes go, its elements, their bytes
    mfc_list_element_t *list;
} Listing;

static void begin_list(Listing *l)
{
    wait_for_tags(list_tags[next_list]);
    l->list = lists[next_list];
    l->length = l->bytes = 0;
}

// Lists of one command go one after the other: groups that are written twice keep the later bytes.
static void end_list(Listing *l)
{
    const uint32_t bytes = l->length * sizeof *l->list;
    if (bytes == 0)
        return;
    list_tags[next_list] = 1u << l->tag;
    next_list = (next_list + 1) % LISTS;
    if (l->c->kind == SVM_CELL_GATHER)
        mfc_getlf((void *)l->ls, l->c->ea, l->list, bytes, l->tag, 0, 0);
    else
        mfc_putlf((void *)l->ls, l->c->ea, l->list, bytes, l->tag, 0, 0);
    l->ls += l->bytes;
}

static void add_group(Listing *l, uint64_t ea, uint32_t bytes)
{
    for (uint32_t at = 0; at < bytes; at += MOST_BYTES) {
        const uint32_t size = bytes - at < MOST_BYTES ? bytes - at : MOST_BYTES;
        l->list[l->length++] = (mfc_list_element_t){.size = size, .eal = mfc_ea2l(ea + at)};
        l->bytes += size;
        if (l->length == LIST_LENGTH) {
            end_list(l);
            begin_list(l);
        }
    }
}

static int64_t index_of(const svm_CellGroups *g, uint32_t i)
{
    return g->indexBytes == 4 ? ((const int32_t *)g->indices)[i] : ((const int64_t *)g->indices)[i];
}

static void transfer_groups(const svm_CellCommand *c, uint32_t tag, uint32_t number)
{
    const svm_CellGroups *g = (const svm_CellGroups *)((const char *)c + svm_cellHead(c));
    Listing l = {.c = c, .tag = tag, .ls = c->ls};
    begin_list(&l);
    for (uint32_t i = 0; i < g->count; i++) {
        const int64_t index = g->indices ? index_of(g, i) : 0;
        if (index < 0 || (g->indices && index >= g->limit)) {
            svm_cellBadIndex(number);
            break;
        }
        add_group(&l, g->indices ? c->ea + (uint64_t)index * g->bytes : c->ea + (uint64_t)i * g->stride, g->bytes);
    }
    end_list(&l);
}

// ---- Streams ----

static const svm_CellStreaming *streaming(void)
{
    return &svm_cellStreaming != NULL ? svm_cellStreaming : NULL;
}

static bool is_of_stream(const Slot *slot)
{
    const uint32_t kind = slot->command->kind;
    return kind == SVM_CELL_FILL || kind == SVM_CELL_EMPTY || kind == SVM_CELL_PASS;
}

// Begins what can be moved now; false: nothing.
static bool stream_on(Slot *slot, uint32_t tag)
{
    const bool moves = streaming() != NULL && streaming()->move(slot->command, &slot->move, tag);
    slot->state = moves ? UNDER_WAY : STREAMING;
    return moves;
}

// ---- Programs that predict time: what a run counts goes to the end of its command ----

static void begin_counting(void)
{
    if (!svm_simCounts)
        return;
    memset(svm_simCounts, 0, sizeof(uint64_t) * SVM_SIM_CLASSES);
    svm_simFirings = 0;
    svm_simFiringCycles = 0;
}

static void tell_counts(const Slot *slot, uint32_t number)
{
    const svm_CellCommand *c = slot->command;
    const Repeat *r = slot->repeat;
    if (!svm_simCounts)
        return;
    svm_CellSpent *spent = (svm_CellSpent *)((char *)c + c->bytes) - 1;
    memcpy(spent->counts, svm_simCounts, sizeof spent->counts);
    spent->firings = svm_simFirings;
    spent->cycles = svm_simFiringCycles;
    const uint64_t to =
        r != NULL ? r->its.spent + (number - r->first) * sizeof *spent : c->ea + c->bytes - c->ls - sizeof *spent;
    mfc_put(spent, to, sizeof *spent, TAG_TELL, 0, 0);
}

void svm_cellNote(uint32_t stream, svm_CellUse use, size_t count)
{
    if (svm_simCounts)
        svm_cellUsed(here.running, here.runs->command->kernel, stream, use, (uint32_t)count, svm_simCounts,
                     svm_simFirings, svm_simFiringCycles);
}

// Commands of stream instructions are in programs that have svm_cellInstructing.
static void run(const Slot *slot, uint32_t number)
{
    const svm_CellCommand *c = slot->command;
    unsigned char *object = (unsigned char *)c + c->ls;
    if (c->kind == SVM_CELL_INSTRUCTION) {
        svm_cellInstructing->run(c);
        return;
    }
    begin_counting();
    svm_cellLoadCode(c->kernel);
    svm_cellKernels[c->kernel]((svm_Kernel *)object);
    if (c->length && (slot->repeat == NULL || slot->time + 1 == slot->repeat->its.times))
        mfc_put(object, c->ea, c->length, TAG_TELL, 0, 0); // before the news that it is complete
    tell_counts(slot, number);
}

// Starts what is ready in the window; then runs the first kernel whose turn it is.
static bool start(Spe *me)
{
    bool moved = false, seen = false, passes = false;
    Slot *kernel = NULL;
    uint32_t kernel_number = 0;
    me->defers = false;
    for (uint32_t n = me->first; n != me->next; n++) {
        Slot *slot = &me->slots[n % SVM_CELL_WINDOW];
        const svm_CellCommand *c = slot->command;
        const bool is_kernel = c->kind == SVM_CELL_KERNEL || c->kind == SVM_CELL_INSTRUCTION;
        if (slot->state == STREAMING)
            moved |= stream_on(slot, n % SVM_CELL_WINDOW);
        if (slot->state != WAITING || (is_kernel && (seen || me->runs != NULL)))
            continue;
        const bool ready = c->kind == SVM_CELL_PAD || is_ready(me, slot);
        if (is_kernel && turning() != NULL && turning()->is_later(me->slots, me->first, me->next, n, ready, passes)) {
            me->defers |= ready;
            passes = true;
            continue;
        }
        seen |= is_kernel;
        if (!ready)
            continue;
        moved = true;
        if (is_kernel) {
            kernel = slot;
            kernel_number = n;
            continue;
        }
        const uint32_t tag = n % SVM_CELL_WINDOW;
        slot->state = UNDER_WAY;
        if (c->kind == SVM_CELL_GET || c->kind == SVM_CELL_PUT) {
            transfer(slot, tag);
        } else if (c->kind == SVM_CELL_GATHER || c->kind == SVM_CELL_SCATTER) {
            transfer_groups(c, tag, n);
        } else if (c->kind == SVM_CELL_WORDS) {
            svm_cellInstructing->words(c, tag, n);
        } else if (is_of_stream(slot)) {
            slot->move.number = n;
            stream_on(slot, tag);
        } else {
            me->quits |= c->kind == SVM_CELL_QUIT;
            slot->state = COMPLETE;
        }
        // Nobody has to wait until the next kernel is over to hear of a put: all before it is complete and told, and all behind
        // it is told later, so this is the only news under way. Not where one before is complete and to be told yet, as in a
        // kernel's wait: the MFC might bring the later news first.
        slot->told = n == me->first && c->tells != 0 && (c->kind == SVM_CELL_PUT || c->kind == SVM_CELL_SCATTER);
        if (slot->told)
            send(&news_of_put, n + 1, c->tells, n % SVM_CELL_WINDOW);
    }
    if (kernel != NULL) {
        kernel->state = RUNNING;
        me->runs = kernel;
        me->running = kernel_number;
        run(kernel, kernel_number);
        me->runs = NULL;
        kernel->state = COMPLETE;
    }
    return moved;
}

static uint32_t tags_under_way(const Spe *me)
{
    uint32_t tags = 0;
    for (uint32_t n = me->first; n != me->next; n++)
        tags |= (uint32_t)(me->slots[n % SVM_CELL_WINDOW].state == UNDER_WAY) << n % SVM_CELL_WINDOW;
    return tags;
}

static bool look_at_transfers(Spe *me)
{
    const uint32_t tags = tags_under_way(me);
    if (tags == 0)
        return false;
    mfc_write_tag_mask(tags);
    const uint32_t done = mfc_read_tag_status_immediate();
    for (uint32_t tag = 0; tag < SVM_CELL_WINDOW; tag++) {
        Slot *slot = &me->slots[tag];
        if ((done >> tag & 1) == 0)
            continue;
        slot->state = COMPLETE;
        if (is_of_stream(slot) && !streaming()->moved(slot->command, &slot->move))
            slot->state = STREAMING;
    }
    return done != 0;
}

// The PPE sets `wanted` and looks at the count again before it sleeps; the count is in memory before this looks.
static void wake_ppe(Spe *me)
{
    const uint32_t wanted = shared.wanted;
    if (wanted == me->told || (int32_t)(me->first - wanted) < 0)
        return;
    me->told = wanted;
    if (spu_stat_out_intr_mbox())
        spu_write_out_intr_mbox(me->first);
}

static bool tell(Spe *me)
{
    uint32_t mask = 0, before = me->first;
    for (; me->first != me->next && me->slots[me->first % SVM_CELL_WINDOW].state == COMPLETE; me->first++) {
        const svm_CellCommand *c = me->slots[me->first % SVM_CELL_WINDOW].command;
        mask |= c->kind == SVM_CELL_PAD || me->slots[me->first % SVM_CELL_WINDOW].told ? 0 : c->tells;
        me->oldest += c->bytes;
    }
    const uint32_t ahead = turning() != NULL ? turning()->told_ahead(me->slots, me->first, me->next, &me->ahead) : 0;
    if (me->first == before && ahead == 0)
        return false;
    send(&news, me->first, mask | ahead, TAG_TELL);
    wait_for_tags(1u << TAG_TELL);
    wake_ppe(me);
    return true;
}

// ---- The loop ----

static inline __attribute__((always_inline)) void wait(const Spe *me)
{
    const uint32_t tags = tags_under_way(me) | (uint32_t)(me->asked != me->fetched) << TAG_FETCH;
    if (tags != 0) {
        mfc_write_tag_mask(tags);
        mfc_read_tag_status_any();
        return;
    }
    // The PPE sets `available` and then looks whether somebody sleeps. The count of the channel is asked in between so that
    // what is stored above it is there for the PPE before what is loaded below it.
    shared.asleep = true;
    if (spu_stat_signal1() || to_fetch(me) == 0)
        spu_read_signal1();
    shared.asleep = false;
}

static bool go_on(Spe *me)
{
    if (shared.rouses != 0)
        rouse();
    bool moved = fetch(me);
    moved |= decode(me);
    moved |= start(me);
    moved |= look_at_transfers(me);
    moved |= tell(me);
    return moved;
}

void svm_cellGoOn(void)
{
    go_on(&here);
}

__attribute__((noinline)) void svm_cellWaitForElements(void)
{
    if (!go_on(&here))
        wait(&here);
}

__attribute__((noinline)) void svm_cellWaitForRoom(void)
{
    if (!go_on(&here))
        wait(&here);
}

__attribute__((noinline)) void svm_cellWaitForInput(void)
{
    wait(&here);
}

uint32_t svm_cellSelf(void)
{
    return shared.self;
}

uint64_t svm_cellSignalOf(uint32_t spe)
{
    return shared.peers[spe].signal;
}

static void say_hello(void)
{
    const uint32_t hello[SVM_CELL_HELLOS] = {(uint32_t)&shared, svm_cellLocalBegin(), (uint32_t)svm_cellRing,
                                             svm_cellRingBytes,
                                             streaming() != NULL ? (uint32_t)streaming()->streams : 0};
    for (int i = 0; i < SVM_CELL_HELLOS; i++)
        spu_write_out_intr_mbox(hello[i]);
    spu_read_signal1(); // the PPE has filled in `shared`
    shared.asleep = false;
}

int main(unsigned long long id, unsigned long long argp, unsigned long long envp)
{
    (void)id, (void)envp;
    svm_cellCodeIsAt(argp);
    if (here.runs == NULL)
        say_hello();
    else // a kernel has failed, and is over
        here.runs->state = COMPLETE;
    here.runs = NULL;
    while (!here.quits)
        if (!go_on(&here)) {
            if (turning() != NULL && here.defers)
                turning()->wait();
            else
                wait(&here);
        }
    return 0;
}
