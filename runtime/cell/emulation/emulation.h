// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the files of the emulation share. All state is guarded by one lock, cell_lock: channels and transfers are rare
// beside computing, and one lock makes every step of one SPE atomic for the others.
#ifndef SVM_CELL_EMULATION_H
#define SVM_CELL_EMULATION_H

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/types.h>

#include "runtime/cell/image/image.h"
#include "runtime/cell/include/ppu/libspe2.h"
#include "runtime/cell/mfc.h"

typedef struct spe_context spe;

// ---- Mailboxes and signals: plain models ----

typedef struct cell_mailbox {
    uint32_t entry[4];
    uint32_t count, depth;
} cell_mailbox;

bool cell_mailbox_put(cell_mailbox *box, uint32_t value); // false where it is full
// As a store to the mailbox's register does: a full mailbox loses its newest entry.
void cell_mailbox_overrun(cell_mailbox *box, uint32_t value);
bool cell_mailbox_take(cell_mailbox *box, uint32_t *value);

typedef struct cell_signal {
    uint32_t value;
    bool full, collects; // collects: OR mode
} cell_signal;

void cell_signal_put(cell_signal *signal, uint32_t value);

// ---- The SPE ----

typedef enum cell_state {
    CELL_IDLE, // no program, or not started
    CELL_RUNNING,
    CELL_STOPPED, // at a stop instruction, can go on
    CELL_CALLING, // the PPE runs a handler for it
    CELL_ENDED,
} cell_state;

struct spe_context {
    spe *next;
    uint32_t number; // in messages
    uint32_t flags;
    spe_program_handle_t *program;
    const cell_image *image;
    cell_spu *spu; // the program's instance

    // 256 KiB of local store, then the pages of the mapped registers.
    uint8_t *base;
    cell_mfc mfc;

    // Channels.
    uint32_t mfc_lsa, mfc_eah, mfc_eal, mfc_size, mfc_tag;
    uint32_t tag_mask;
    int tag_update; // as written, -1 when nothing is asked
    uint32_t tag_status;
    bool tag_ready;
    uint32_t atomic_status;
    bool atomic_ready;
    cell_mailbox in, out, out_intr;
    cell_signal signal[2];
    uint32_t event_pending, event_mask;
    uint32_t decrementer;
    uint64_t decrementer_set; // nanoseconds
    bool decrementer_runs;
    uint32_t srr0;
    uint32_t proxy_tags; // that the PPE used since it last asked
    struct {             // registers by which it gives commands itself
        uint32_t lsa, eah, eal, size_tag, status, query, mask;
    } proxy;
    bool sync_pending;
    uint64_t sync_number; // for a multi-source synchronization of another SPE: what was issued when it began

    // The thread.
    pthread_cond_t changed;
    pthread_t thread;
    pid_t tid;
    bool has_thread;
    cell_state state;
    bool must_leave; // destroyed while it is stopped, or a transfer failed: leave at the next channel
    jmp_buf leave;
    uint64_t registers[6]; // 3 to 5, with which the program begins
    int *files;            // that the program has opened, by its numbers of them; -1: closed
    uint32_t file_count;
    uint32_t callback, callback_data;
    spe_stop_info_t stop;
    spe_stop_info_t *stops; // that spe_stop_info_read has not given yet
    uint32_t stop_count, stop_capacity;

    // For messages and the watch.
    uint32_t site;
    uint32_t polls; // of the local store since the last channel was used
    bool waits;     // until somebody else does something
    char waits_for[200];
    uint64_t tick_issued; // commands issued when the clock last looked
    uint64_t tick_time;   // when it last saw another number
    uint64_t tick_wall;
    bool tick_computes;
};

enum {
    CELL_PAGE = 4096,
    CELL_AREA_MSSYNC = CELL_LS_SIZE,
    CELL_AREA_MFC = CELL_AREA_MSSYNC + CELL_PAGE,
    CELL_AREA_CONTROL = CELL_AREA_MFC + CELL_PAGE,
    CELL_AREA_SIGNAL_1 = CELL_AREA_CONTROL + CELL_PAGE,
    CELL_AREA_SIGNAL_2 = CELL_AREA_SIGNAL_1 + CELL_PAGE,
    CELL_MAPPED_SIZE = CELL_AREA_SIGNAL_2 + CELL_PAGE,
};

extern pthread_mutex_t cell_lock;
extern spe *cell_contexts;         // all that exist
extern __thread spe *cell_current; // of an SPE's thread
static inline void cell_enter(void)
{
    pthread_mutex_lock(&cell_lock);
}
static inline void cell_leave(void)
{
    pthread_mutex_unlock(&cell_lock);
}
void cell_enter_from_ppe(void); // with the delay that the environment asks for

// ---- Waiting (wait.c) ----

// Something about s is other than before: wakes who waits for it.
void cell_changed(spe *s);
// Waits on the SPE's own thread until something about it changes; its transfers go on meanwhile. The text says for what.
void cell_block(spe *s, bool look_again, const char *format, ...) __attribute__((format(printf, 3, 4)));
// The same for a thread of the PPE; its place among those that wait is named by call. With a deadline it may return
// without a change. (events: for any SPE.)
void cell_block_ppe(spe *s, const char *call);
bool cell_block_events(uint64_t deadline, const char *call);
void cell_start_watch(void);
uint64_t cell_nanoseconds(void);
void cell_yield(void); // lets others in while a program polls

// ---- Errors (report.c) ----

void cell_message(const spe *s, uint32_t site, const char *format, ...) __attribute__((format(printf, 3, 4)));
// A rule is broken by the program that s runs: says so and ends the SPE's run with this exception where the program
// handles them (SPE_EVENTS_ENABLE), the whole program otherwise.
void cell_break_command(spe *s, cell_rule rule, const cell_command *command, uint32_t element, uint64_t ea);
void cell_die(void) __attribute__((noreturn));
const char *cell_function_of(const spe *s, uint32_t site); // "" where it is not known
const char *cell_site_text(const spe *s, uint32_t site, char *buffer, size_t size);

// ---- Memory (bus.c) ----

cell_bus cell_bus_of(spe *s);
void cell_bus_start(void);
void cell_bus_keep(void); // now and then: the program may install handlers of its own
// Registers of the MFC by which the PPE gives commands and asks for their tags; false: there is none (proxy.c).
bool cell_proxy_write(spe *s, uint32_t offset, uint32_t value);
bool cell_proxy_read(spe *s, uint32_t offset, uint32_t *value);
// The SPE whose mapped memory an address is in, and where in it.
spe *cell_mapped(uint64_t ea, uint32_t *offset);
bool cell_register_write(spe *s, uint32_t offset, uint32_t value);
bool cell_register_read(spe *s, uint32_t offset, uint32_t *value);

// ---- The SPE's side (channels.c, events.c, system.c, wasi.c) ----

extern const cell_host cell_host_functions;
uint32_t cell_rdch(cell_spu *spu, uint32_t site, uint32_t channel);
void cell_wrch(cell_spu *spu, uint32_t site, uint32_t channel, uint32_t value);
uint32_t cell_rchcnt(cell_spu *spu, uint32_t site, uint32_t channel);
void cell_mfc_command(cell_spu *spu, uint32_t site, uint32_t lsa, uint32_t eah, uint32_t eal, uint32_t size,
                      uint32_t tag, uint32_t command);
// One unit of work of a queue; false when nothing can go.
bool cell_advance(spe *s, cell_queue *queue, uint32_t tags);
// Whether the queue has commands that can go.
bool cell_can_advance(const spe *s);
void cell_look_at_tags(spe *s);
// Multi-source synchronization: done when the transfers into this local store that others had issued are.
void cell_sync_start(spe *s);
bool cell_sync_done(spe *s);

void cell_event(spe *s, uint32_t events);
uint32_t cell_decrementer_now(const spe *s);
void cell_look_at_events(spe *s); // what no other thread tells: decrementer, reservation

// Ends the run on the SPE's thread, with the lock held.
void cell_end(spe *s, spe_stop_info_t stop) __attribute__((noreturn));
void cell_check_leave(spe *s);
// Lets the thread of a program that stopped leave it. With the lock held.
void cell_finish_thread(spe *s);

enum { WASI_OK = 0, WASI_BADF = 8, WASI_FAULT = 21, WASI_IO = 29 };
bool cell_in_store(uint32_t address, uint32_t size);
uint32_t cell_set_word(const cell_spu *spu, uint32_t address, uint32_t value);
uint32_t cell_wasi_error(void);        // that errno says
int cell_file_of(uint32_t file);       // the PPE's number of a file that this SPE's program opened; -1: it is none
bool cell_is_directory(uint32_t file); // one that programs have from the beginning
void cell_close_files(spe *s);
uint32_t cell_fd_write(cell_spu *spu, uint32_t site, uint32_t file, uint32_t parts, uint32_t count, uint32_t written);
uint32_t cell_fd_read(cell_spu *spu, uint32_t site, uint32_t file, uint32_t parts, uint32_t count, uint32_t got);
uint32_t cell_fd_prestat_get(cell_spu *spu, uint32_t site, uint32_t file, uint32_t stat);
uint32_t cell_fd_prestat_dir_name(cell_spu *spu, uint32_t site, uint32_t file, uint32_t name, uint32_t size);
uint32_t cell_path_open(cell_spu *spu, uint32_t site, uint32_t directory, uint32_t links, uint32_t name, uint32_t size,
                        uint32_t how, uint64_t rights, uint64_t inherited, uint32_t flags, uint32_t opened);
uint32_t cell_path_unlink_file(cell_spu *spu, uint32_t site, uint32_t directory, uint32_t name, uint32_t size);
uint32_t cell_path_filestat_get(cell_spu *spu, uint32_t site, uint32_t directory, uint32_t links, uint32_t name,
                                uint32_t size, uint32_t result);
uint32_t cell_fd_filestat_get(cell_spu *spu, uint32_t site, uint32_t file, uint32_t stat);
uint32_t cell_fd_seek(cell_spu *spu, uint32_t site, uint32_t file, uint64_t offset, uint32_t from, uint32_t result);
uint32_t cell_fd_fdstat_set_flags(cell_spu *spu, uint32_t site, uint32_t file, uint32_t flags);
uint32_t cell_fd_close(cell_spu *spu, uint32_t site, uint32_t file);
uint32_t cell_fd_fdstat_get(cell_spu *spu, uint32_t site, uint32_t file, uint32_t stat);
uint32_t cell_clock_time_get(cell_spu *spu, uint32_t site, uint32_t clock, uint64_t precision, uint32_t time);

int cell_call_handler(spe *s);

#endif
