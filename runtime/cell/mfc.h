// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The MFC of one SPE as a model: its two queues, what may complete before what, what a command does to memory.
//
// The model has no threads, no locks and no clock. Its user issues commands and asks for steps; which of the commands
// that may go next does go is decided by a seeded generator. What lies outside the local store is reached through the
// functions of cell_bus.
#ifndef SVM_CELL_MFC_H
#define SVM_CELL_MFC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CELL_LS_SIZE = 262144,
    CELL_LINE = 128,
    CELL_TAGS = 32,
    CELL_PROXY_TAGS = 16,
    CELL_SPU_DEPTH = 16,
    CELL_PROXY_DEPTH = 8,
    CELL_DMA_MAX = 16384,
    CELL_LIST_MAX = 2048 * 8,
    CELL_BLOCKS = CELL_LS_SIZE / CELL_LINE,
};

typedef enum cell_rule {
    CELL_RULE_NONE,
#define CELL_RULE(id, name, exception, text) CELL_RULE_##id,
#include "runtime/cell/rules.def"
#undef CELL_RULE
} cell_rule;

typedef struct cell_rule_facts {
    const char *name;
    unsigned exception;
    const char *text;
} cell_rule_facts;
const cell_rule_facts *cell_rule_get(cell_rule rule);

// What a command is.
enum {
    CELL_IS_PUT = 1,            // local store to effective address
    CELL_IS_GET = 2,            // effective address to local store
    CELL_IS_LIST = 4,           // by a list in the local store
    CELL_IS_FENCE = 8,          // after all earlier commands of its tag
    CELL_IS_BARRIER = 16,       // the same, and before all later ones
    CELL_IS_QUEUE_BARRIER = 32, // between all earlier and all later commands of the queue
    CELL_IS_SIGNAL = 64,        // 4 bytes to a signal register
    CELL_IS_ORDER = 128,        // moves nothing
    CELL_IS_LINE = 256,         // one line of 128 bytes
    CELL_IS_NOW = 512,          // not queued
    CELL_IS_HINT = 1024,        // about caches: does nothing
    CELL_IS_PROXY = 2048,       // the PPE may issue it too
};

// NULL where there is no such command.
const char *cell_command_name(uint32_t opcode);
uint32_t cell_command_is(uint32_t opcode); // 0 where there is no such command

typedef struct cell_command {
    uint32_t lsa; // for a list: where the next element's bytes go to or come from
    uint64_t ea;  // for a list: the upper half counts
    uint32_t size;
    uint32_t tag;
    uint32_t opcode;
    uint32_t is;
    uint64_t number; // order of issue
    uint32_t site;   // where in the program, for messages
    // A list's: the next element, the end of the list, the end of the part that may go before the program acknowledges.
    uint32_t list;
    uint32_t list_end;
    bool stalled;
    // The blocks of the local store that it was counted in (see busy).
    uint32_t busy_first, busy_count;
    uint32_t busy_list_first, busy_list_count;
} cell_command;

typedef struct cell_queue {
    cell_command entry[CELL_SPU_DEPTH]; // oldest first
    uint32_t count;
    uint32_t depth;
} cell_queue;

// What lies outside the local store. read and write are all or nothing: a rule is returned where the address is not
// memory. line_put stores a line if it still holds what expected does (always where expected is NULL).
typedef struct cell_bus {
    void *context;
    cell_rule (*read)(void *context, uint64_t ea, void *to, uint32_t size);
    cell_rule (*write)(void *context, uint64_t ea, const void *from, uint32_t size);
    cell_rule (*line_put)(void *context, uint64_t ea, const uint8_t *expected, const uint8_t *line, bool *stored);
} cell_bus;

typedef struct cell_mfc {
    uint8_t *ls;
    cell_bus bus;
    cell_queue spu, proxy;
    uint64_t random;
    uint64_t issued;     // number of the newest command
    uint32_t stall_tags; // lists that stalled since the program last read which
    // The reservation of mfc_getllar.
    bool reserved;
    uint64_t line_ea;
    uint8_t line[CELL_LINE];
    // Commands under way by block of 128 bytes of the local store, kept where track is set.
    bool track;
    uint8_t busy[CELL_BLOCKS];
} cell_mfc;

// A command that cannot go on, and why.
typedef struct cell_fault {
    cell_rule rule;
    cell_command command;
    uint32_t element; // of a list
    uint64_t ea;      // the address concerned
} cell_fault;

typedef enum cell_step {
    CELL_STEP_NONE, // nothing can go: queues empty, or every command waits for a stalled list
    CELL_STEP_DONE, // something moved
    CELL_STEP_FAULT,
} cell_step;

void cell_mfc_init(cell_mfc *mfc, uint8_t *ls, cell_bus bus, uint64_t seed);

// The rules that a command's own fields keep or break.
cell_rule cell_mfc_check(uint32_t opcode, uint32_t lsa, uint64_t ea, uint32_t size, uint32_t tag, bool proxy);

static inline bool cell_queue_has_room(const cell_queue *queue)
{
    return queue->count < queue->depth;
}

// Puts a command into a queue that has room. A command that is not queued is done at once: *status is then what
// MFC_RdAtomicStat gives.
cell_rule cell_mfc_issue(cell_mfc *mfc, cell_queue *queue, const cell_command *command);
cell_rule cell_mfc_atomic(cell_mfc *mfc, const cell_command *command, uint32_t *status);

// One unit of work (a transfer, or an element of a list) that brings the commands of these tags forward; the commands
// that they wait for are brought forward with them. last (may be NULL) gets the command that was worked on as it then
// is: size is what moved.
cell_step cell_mfc_step(cell_mfc *mfc, cell_queue *queue, uint32_t tags, cell_fault *fault, cell_command *last);

// The tags that no command of the queue has.
uint32_t cell_queue_done(const cell_queue *queue);
// Whether a command of the queue can go now.
bool cell_queue_can_go(const cell_queue *queue);
// The tags of stalled lists, whether read by the program or not.
uint32_t cell_queue_stalled(const cell_queue *queue);
cell_rule cell_mfc_ack(cell_mfc *mfc, uint32_t tag);

// Takes the reservation away where a store to these bytes by somebody else does so. True when there was one.
bool cell_mfc_lose(cell_mfc *mfc, uint64_t ea, uint32_t size);

// The command under way that moves one of these bytes of the local store in a way that a load or store now disturbs,
// or NULL. Only where track is set.
const cell_command *cell_mfc_hits(const cell_mfc *mfc, uint32_t address, uint32_t size, bool store);

// A list element: two words, the first with stall-and-notify in its top bit and the size in the low 15.
typedef struct cell_element {
    bool notify;
    uint32_t size;
    uint32_t eal;
    bool reserved; // bits are set that must not be
} cell_element;
cell_element cell_element_read(const uint8_t *at);

#endif
