// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The queues of the MFC: what is legal, what waits for what, what goes next.
#include "runtime/cell/mfc.h"

#include <string.h>

static const cell_rule_facts rules[] = {
    [CELL_RULE_NONE] = {"", 0, ""},
#define CELL_RULE(id, rule_name, code, sentence) [CELL_RULE_##id] = {rule_name, code, sentence},
#include "runtime/cell/rules.def"
#undef CELL_RULE
};

static const struct {
    uint32_t opcode;
    const char *name;
    uint32_t is;
} commands[] = {
#define CELL_COMMAND(id, code, command_name, flags) {code, command_name, flags},
#include "runtime/cell/commands.def"
#undef CELL_COMMAND
};

const cell_rule_facts *cell_rule_get(cell_rule rule)
{
    return &rules[rule];
}

const char *cell_command_name(uint32_t opcode)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (commands[i].opcode == opcode)
            return commands[i].name;
    return NULL;
}

uint32_t cell_command_is(uint32_t opcode)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (commands[i].opcode == opcode)
            return commands[i].is;
    return 0;
}

void cell_mfc_init(cell_mfc *mfc, uint8_t *ls, cell_bus bus, uint64_t seed)
{
    *mfc = (cell_mfc){.ls = ls, .bus = bus, .random = seed * 0x9E3779B97F4A7C15u + 0x2545F4914F6CDD1Du};
    mfc->spu.depth = CELL_SPU_DEPTH;
    mfc->proxy.depth = CELL_PROXY_DEPTH;
}

// splitmix64: any state is good, neighbouring seeds have nothing in common.
static uint32_t random_below(cell_mfc *mfc, uint32_t bound)
{
    uint64_t z = mfc->random += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (uint32_t)((z ^ z >> 31) >> 32) % bound;
}

static bool is_short(uint32_t size)
{
    return size == 1 || size == 2 || size == 4 || size == 8;
}

// The rules of one transfer, which are those of one element of a list too.
static cell_rule check_transfer(uint32_t lsa, uint64_t ea, uint32_t size)
{
    if (size > CELL_DMA_MAX || (size < 16 && !is_short(size)) || (size >= 16 && size % 16))
        return CELL_RULE_SIZE;
    if (is_short(size)) {
        if (ea % size)
            return CELL_RULE_ALIGN_SHORT;
        if ((ea & 15) != (lsa & 15))
            return CELL_RULE_ALIGN_LOW4;
    } else if (ea % 16 || lsa % 16) {
        return CELL_RULE_ALIGN_QUAD;
    }
    if (lsa >= CELL_LS_SIZE || size > CELL_LS_SIZE - lsa)
        return CELL_RULE_LS_RANGE;
    return CELL_RULE_NONE;
}

static cell_rule check_list(uint32_t lsa, uint64_t ea, uint32_t size)
{
    const uint32_t list = (uint32_t)ea;
    if (size == 0 || size > CELL_LIST_MAX || size % 8)
        return CELL_RULE_LIST_SIZE;
    if (list % 8)
        return CELL_RULE_LIST_ALIGN;
    if (list >= CELL_LS_SIZE || size > CELL_LS_SIZE - list || lsa >= CELL_LS_SIZE)
        return CELL_RULE_LS_RANGE;
    return CELL_RULE_NONE;
}

cell_rule cell_mfc_check(uint32_t opcode, uint32_t lsa, uint64_t ea, uint32_t size, uint32_t tag, bool proxy)
{
    const uint32_t is = cell_command_is(opcode);
    if (!is || (proxy && !(is & CELL_IS_PROXY)))
        return CELL_RULE_COMMAND;
    if (proxy && tag >= CELL_PROXY_TAGS)
        return CELL_RULE_PROXY_TAG;
    if (tag >= CELL_TAGS && !(is & CELL_IS_NOW))
        return CELL_RULE_TAG;
    if (is & (CELL_IS_ORDER | CELL_IS_HINT))
        return CELL_RULE_NONE;
    if (is & CELL_IS_LINE) {
        if (ea % CELL_LINE || lsa % CELL_LINE)
            return CELL_RULE_LINE;
        return lsa < CELL_LS_SIZE ? CELL_RULE_NONE : CELL_RULE_LS_RANGE;
    }
    if ((is & CELL_IS_SIGNAL) && (size != 4 || ea % 4))
        return CELL_RULE_SIGNAL;
    if (is & CELL_IS_LIST)
        return check_list(lsa, ea, size);
    return check_transfer(lsa, ea, size);
}

// ---- Lists ----

// The words are of the host's byte order. A struct that puts bit fields in the order of the machine's (stall first,
// size in the last 16 bits) arrives here with the size in the upper half: no legal element looks like that, so it is
// taken for what it means.
cell_element cell_element_read(const uint8_t *at)
{
    uint32_t word[2];
    memcpy(word, at, sizeof word);
    if (word[0] & 0x7FFF0000u && !(word[0] & 0xFFFE))
        return (cell_element){.notify = word[0] & 1, .size = word[0] >> 16, .eal = word[1]};
    return (cell_element){
        .notify = word[0] >> 31, .size = word[0] & 0x7FFF, .eal = word[1], .reserved = word[0] & 0x7FFF8000u};
}

// Where an element's bytes lie. A short one lies in a quadword of its own, at its effective address's offset in it.
static uint32_t element_lsa(uint32_t lsa, const cell_element *element, bool first)
{
    if (!is_short(element->size))
        return first ? lsa : (lsa + 15) & ~15u;
    return first ? lsa : ((lsa + 15) & ~15u) + (element->eal & 15);
}

static uint32_t element_end(uint32_t lsa, const cell_element *element)
{
    return (lsa + element->size + 15) & ~15u;
}

static cell_rule check_element(const cell_element *element, uint32_t lsa)
{
    if (element->reserved)
        return CELL_RULE_LIST_ELEMENT;
    if (element->size == 0)
        return CELL_RULE_NONE;
    if ((uint64_t)element->eal + element->size > UINT64_C(0x100000000))
        return CELL_RULE_LIST_HIGH;
    const cell_rule rule = check_transfer(lsa, element->eal, element->size);
    return rule == CELL_RULE_SIZE ? CELL_RULE_LIST_ELEMENT : rule;
}

static bool is_first(const cell_command *command)
{
    return command->list + command->size == command->list_end;
}

// ---- Bytes under way ----

static void count_blocks(cell_mfc *mfc, uint32_t first, uint32_t count, int by)
{
    for (uint32_t i = 0; i < count; i++)
        mfc->busy[first + i] = (uint8_t)(mfc->busy[first + i] + by);
}

static void set_blocks(uint32_t from, uint32_t to, uint32_t *first, uint32_t *count)
{
    if (to > CELL_LS_SIZE)
        to = CELL_LS_SIZE;
    *first = from / CELL_LINE;
    *count = from < to ? (to - 1) / CELL_LINE - *first + 1 : 0;
}

// Where the part of a list that goes before the next acknowledgement ends, in the list and in the data.
static uint32_t list_part(const cell_mfc *mfc, const cell_command *command, uint32_t *data_end)
{
    uint32_t at = command->list, lsa = command->lsa;
    for (bool first = is_first(command); at < command->list_end; first = false) {
        const cell_element element = cell_element_read(mfc->ls + at);
        lsa = element_end(element_lsa(lsa, &element, first), &element);
        at += 8;
        if (element.notify)
            break;
    }
    *data_end = lsa;
    return at;
}

static void mark(cell_mfc *mfc, cell_command *command)
{
    if (!mfc->track || command->is & (CELL_IS_ORDER | CELL_IS_HINT))
        return;
    if (command->is & CELL_IS_LIST) {
        uint32_t data_end;
        const uint32_t list_end = list_part(mfc, command, &data_end);
        set_blocks(command->lsa, data_end, &command->busy_first, &command->busy_count);
        set_blocks(command->list, list_end, &command->busy_list_first, &command->busy_list_count);
    } else {
        set_blocks(command->lsa, command->lsa + command->size, &command->busy_first, &command->busy_count);
        command->busy_list_count = 0;
    }
    count_blocks(mfc, command->busy_first, command->busy_count, 1);
    count_blocks(mfc, command->busy_list_first, command->busy_list_count, 1);
}

static void unmark(cell_mfc *mfc, cell_command *command)
{
    count_blocks(mfc, command->busy_first, command->busy_count, -1);
    count_blocks(mfc, command->busy_list_first, command->busy_list_count, -1);
    command->busy_count = command->busy_list_count = 0;
}

static bool overlap(uint32_t a, uint32_t a_size, uint32_t b, uint32_t b_size)
{
    return a < b + b_size && b < a + a_size;
}

// Lists under way that a transfer has written into describe other bytes than before.
static void mark_again(cell_mfc *mfc, uint32_t lsa, uint32_t size)
{
    for (uint32_t i = 0; mfc->track && i < mfc->spu.count; i++) {
        cell_command *command = &mfc->spu.entry[i];
        if (!(command->is & CELL_IS_LIST) || command->stalled ||
            !overlap(lsa, size, command->list, command->list_end - command->list))
            continue;
        unmark(mfc, command);
        mark(mfc, command);
    }
}

static bool list_hits(const cell_mfc *mfc, const cell_command *command, uint32_t address, uint32_t size, bool store)
{
    if (command->stalled)
        return false;
    uint32_t data_end, lsa = command->lsa;
    const uint32_t list_end = list_part(mfc, command, &data_end);
    if (store && overlap(address, size, command->list, list_end - command->list))
        return true;
    if (command->is & CELL_IS_PUT && !store)
        return false;
    bool first = is_first(command);
    for (uint32_t at = command->list; at < list_end; at += 8, first = false) {
        const cell_element element = cell_element_read(mfc->ls + at);
        const uint32_t start = element_lsa(lsa, &element, first);
        if (element.size && overlap(address, size, start, element.size))
            return true;
        lsa = element_end(start, &element);
    }
    return false;
}

static const cell_command *queue_hits(const cell_mfc *mfc, const cell_queue *queue, uint32_t address, uint32_t size,
                                      bool store)
{
    for (uint32_t i = 0; i < queue->count; i++) {
        const cell_command *c = &queue->entry[i];
        if (c->is & (CELL_IS_ORDER | CELL_IS_HINT))
            continue;
        if (c->is & CELL_IS_LIST) {
            if (list_hits(mfc, c, address, size, store))
                return c;
        } else if ((store || c->is & CELL_IS_GET) && overlap(address, size, c->lsa, c->size)) {
            return c;
        }
    }
    return NULL;
}

const cell_command *cell_mfc_hits(const cell_mfc *mfc, uint32_t address, uint32_t size, bool store)
{
    const cell_command *hit = queue_hits(mfc, &mfc->spu, address, size, store);
    return hit ? hit : queue_hits(mfc, &mfc->proxy, address, size, store);
}

// ---- Order ----

// later may not begin before earlier has ended.
static bool must_wait(const cell_command *later, const cell_command *earlier)
{
    if ((later->is | earlier->is) & CELL_IS_QUEUE_BARRIER)
        return true;
    return later->tag == earlier->tag &&
           (later->is & (CELL_IS_FENCE | CELL_IS_BARRIER) || earlier->is & CELL_IS_BARRIER);
}

static bool may_go(const cell_queue *queue, uint32_t index)
{
    if (queue->entry[index].stalled)
        return false;
    for (uint32_t i = 0; i < index; i++)
        if (must_wait(&queue->entry[index], &queue->entry[i]))
            return false;
    return true;
}

// The commands of these tags and those that they wait for, as bits.
static uint32_t needed_for(const cell_queue *queue, uint32_t tags)
{
    uint32_t needed = 0;
    for (uint32_t i = queue->count; i-- > 0;) {
        if (tags >> queue->entry[i].tag & 1)
            needed |= 1u << i;
        if (!(needed >> i & 1))
            continue;
        for (uint32_t k = 0; k < i; k++)
            if (must_wait(&queue->entry[i], &queue->entry[k]))
                needed |= 1u << k;
    }
    return needed;
}

static bool choose(cell_mfc *mfc, const cell_queue *queue, uint32_t tags, uint32_t *index)
{
    const uint32_t needed = needed_for(queue, tags);
    uint32_t ready[CELL_SPU_DEPTH], count = 0;
    for (uint32_t i = 0; i < queue->count; i++)
        if (needed >> i & 1 && may_go(queue, i))
            ready[count++] = i;
    if (!count)
        return false;
    *index = ready[random_below(mfc, count)];
    return true;
}

// ---- Work ----

static cell_rule move(cell_mfc *mfc, uint32_t is, uint32_t lsa, uint64_t ea, uint32_t size)
{
    if (is & CELL_IS_GET)
        return mfc->bus.read(mfc->bus.context, ea, mfc->ls + lsa, size);
    return mfc->bus.write(mfc->bus.context, ea, mfc->ls + lsa, size);
}

// Sets size to what moved, in last.
static cell_rule do_element(cell_mfc *mfc, cell_command *command, cell_fault *fault, cell_command *last)
{
    const cell_element element = cell_element_read(mfc->ls + command->list);
    const uint32_t lsa = element_lsa(command->lsa, &element, is_first(command));
    const uint64_t ea = (command->ea & UINT64_C(0xFFFFFFFF00000000)) | element.eal;
    fault->element = (command->list + command->size - command->list_end) / 8;
    fault->ea = ea;
    cell_rule rule = check_element(&element, lsa);
    if (!rule && element.size)
        rule = move(mfc, command->is, lsa, ea, element.size);
    if (rule)
        return rule;
    command->lsa = element_end(lsa, &element);
    command->list += 8;
    command->stalled = element.notify;
    *last = *command;
    last->lsa = lsa;
    last->ea = ea;
    last->size = element.size;
    return CELL_RULE_NONE;
}

static cell_rule do_command(cell_mfc *mfc, cell_command *command, cell_fault *fault, cell_command *last)
{
    fault->element = 0;
    fault->ea = command->ea;
    if (command->is & CELL_IS_LIST)
        return do_element(mfc, command, fault, last);
    *last = *command;
    if (command->is & (CELL_IS_ORDER | CELL_IS_HINT))
        return CELL_RULE_NONE;
    if (command->is & CELL_IS_LINE) {
        bool stored;
        last->size = CELL_LINE;
        return mfc->bus.line_put(mfc->bus.context, command->ea, NULL, mfc->ls + command->lsa, &stored);
    }
    return move(mfc, command->is, command->lsa, command->ea, command->size);
}

static void take_out(cell_mfc *mfc, cell_queue *queue, uint32_t index)
{
    unmark(mfc, &queue->entry[index]);
    queue->count--;
    memmove(&queue->entry[index], &queue->entry[index + 1], (queue->count - index) * sizeof queue->entry[0]);
}

cell_step cell_mfc_step(cell_mfc *mfc, cell_queue *queue, uint32_t tags, cell_fault *fault, cell_command *last)
{
    uint32_t index;
    if (!choose(mfc, queue, tags, &index))
        return CELL_STEP_NONE;
    cell_command *command = &queue->entry[index], moved;
    fault->command = *command;
    fault->rule = do_command(mfc, command, fault, &moved);
    if (fault->rule) {
        take_out(mfc, queue, index);
        return CELL_STEP_FAULT;
    }
    if (last)
        *last = moved;
    if (command->is & CELL_IS_GET)
        mark_again(mfc, moved.lsa, moved.size);
    if (command->stalled) {
        mfc->stall_tags |= 1u << command->tag;
        unmark(mfc, command);
    } else if (!(command->is & CELL_IS_LIST) || command->list == command->list_end) {
        take_out(mfc, queue, index);
    }
    return CELL_STEP_DONE;
}

cell_rule cell_mfc_issue(cell_mfc *mfc, cell_queue *queue, const cell_command *command)
{
    const cell_rule rule =
        cell_mfc_check(command->opcode, command->lsa, command->ea, command->size, command->tag, queue == &mfc->proxy);
    if (rule)
        return rule;
    cell_command *entry = &queue->entry[queue->count++];
    *entry = *command;
    entry->is = cell_command_is(command->opcode);
    entry->number = ++mfc->issued;
    entry->stalled = false;
    entry->busy_count = entry->busy_list_count = 0;
    entry->list = entry->is & CELL_IS_LIST ? (uint32_t)command->ea : 0;
    entry->list_end = entry->list + (entry->is & CELL_IS_LIST ? command->size : 0);
    if (entry->is & CELL_IS_LINE)
        entry->size = CELL_LINE;
    mark(mfc, entry);
    return CELL_RULE_NONE;
}

cell_rule cell_mfc_atomic(cell_mfc *mfc, const cell_command *command, uint32_t *status)
{
    cell_rule rule = cell_mfc_check(command->opcode, command->lsa, command->ea, command->size, command->tag, false);
    if (rule)
        return rule;
    uint8_t *line = mfc->ls + command->lsa;
    if (command->opcode == 0xD0) { // mfc_getllar
        mfc->reserved = false;
        rule = mfc->bus.read(mfc->bus.context, command->ea, mfc->line, CELL_LINE);
        if (rule)
            return rule;
        memcpy(line, mfc->line, CELL_LINE);
        mark_again(mfc, command->lsa, CELL_LINE);
        mfc->line_ea = command->ea;
        mfc->reserved = true;
        *status = 4;
        return CELL_RULE_NONE;
    }
    const bool conditional = command->opcode == 0xB4; // mfc_putllc
    bool stored = false;
    // A conditional store with no reservation, or one of another line, fails; either way the reservation is gone.
    if (!conditional || (mfc->reserved && mfc->line_ea == command->ea)) {
        uint8_t expected[CELL_LINE];
        memcpy(expected, mfc->line, CELL_LINE);
        rule = mfc->bus.line_put(mfc->bus.context, command->ea, conditional ? expected : NULL, line, &stored);
        if (rule)
            return rule;
    }
    if (conditional || mfc->line_ea == command->ea)
        mfc->reserved = false;
    *status = conditional ? (stored ? 0 : 1) : 2;
    return CELL_RULE_NONE;
}

uint32_t cell_queue_done(const cell_queue *queue)
{
    uint32_t outstanding = 0;
    for (uint32_t i = 0; i < queue->count; i++)
        outstanding |= 1u << queue->entry[i].tag;
    return ~outstanding;
}

bool cell_queue_can_go(const cell_queue *queue)
{
    for (uint32_t i = 0; i < queue->count; i++)
        if (may_go(queue, i))
            return true;
    return false;
}

uint32_t cell_queue_stalled(const cell_queue *queue)
{
    uint32_t tags = 0;
    for (uint32_t i = 0; i < queue->count; i++)
        if (queue->entry[i].stalled)
            tags |= 1u << queue->entry[i].tag;
    return tags;
}

cell_rule cell_mfc_ack(cell_mfc *mfc, uint32_t tag)
{
    if (tag >= CELL_TAGS)
        return CELL_RULE_TAG;
    if (!(cell_queue_stalled(&mfc->spu) >> tag & 1))
        return CELL_RULE_LIST_ACK;
    // From the newest: a list that stalled at its last element leaves the queue here.
    for (uint32_t i = mfc->spu.count; i-- > 0;) {
        cell_command *command = &mfc->spu.entry[i];
        if (!command->stalled || command->tag != tag)
            continue;
        command->stalled = false;
        if (command->list == command->list_end)
            take_out(mfc, &mfc->spu, i);
        else
            mark(mfc, command);
    }
    return CELL_RULE_NONE;
}

bool cell_mfc_lose(cell_mfc *mfc, uint64_t ea, uint32_t size)
{
    if (!mfc->reserved || ea >= mfc->line_ea + CELL_LINE || mfc->line_ea >= ea + size)
        return false;
    mfc->reserved = false;
    return true;
}
