// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between the two sides of a Cell program that svm-llc makes of SVM C. The PPE's control code puts commands into a queue
// in memory, one for each SPE; the SPE's resident loop (svm/spu/resident.c) fetches them, waits for what each depends on,
// does it, and tells the SPEs and the PPE how many of its commands are complete, counted from the first. A command only
// waits for commands that were queued before it, on whichever SPE. An SPE that has something under way finds new commands
// by itself; one that sleeps is woken, by the PPE or by an SPE that the PPE has woken.
//
// Both sides include this header: every field has the same place for 64 and for 32 bits of address.
#ifndef SVM_CELL_H
#define SVM_CELL_H

#include <stdint.h>

enum {
    SVM_CELL_SPES = 32,          // at most, as masks of SPEs are words
    SVM_CELL_WINDOW = 16,        // commands that an SPE has under way: one tag each
    SVM_CELL_QUANTUM = 16,       // commands are multiples of it in size
    SVM_CELL_PPE_RANG = 1 << 30, // in an SPE's signal register: the PPE has something new
};

typedef enum svm_CellKind {
    SVM_CELL_PAD,         // nothing: the end of the ring is near
    SVM_CELL_KERNEL,      // calls a kernel's function
    SVM_CELL_INSTRUCTION, // calls a kernel's function that svm_KernelStart started: svm_CellInstruction follows
    SVM_CELL_GET,         // moves bytes from memory, or another local store, here
    SVM_CELL_PUT,         // and from here
    SVM_CELL_GATHER,      // the same of groups of bytes there: svm_CellGroups follows
    SVM_CELL_SCATTER,
    SVM_CELL_FILL,   // moves elements of memory to a stream here, as there is room for them: `length` bytes
    SVM_CELL_EMPTY,  // from one here to memory, as they come,
    SVM_CELL_PASS,   // or to a stream of another SPE: svm_CellPass follows
    SVM_CELL_WORDS,  // moves groups of any bytes, as many as there are then: svm_CellWords follows
    SVM_CELL_TELL,   // nothing but to tell others that what is before it is complete, as all commands do
    SVM_CELL_REPEAT, // the commands of an svm_CellRepeat come next, again and again; it is the last of a lap of the ring
    SVM_CELL_QUIT    // the program ends
} svm_CellKind;

// FILL, EMPTY, PASS: `ls` is that of the svm_CellStream here; PASS: `ea` that of the other SPE's local store.
typedef struct svm_CellPass {
    uint32_t stream, spe; // the svm_CellStream there, and which SPE
    uint32_t unused[2];
} svm_CellPass;

// What a command waits for: so many commands of an SPE, from its first on, are complete. (In an svm_CellRepeat: signed.)
typedef struct svm_CellWait {
    uint32_t spe, count;
} svm_CellWait;

// A command in the queue. Its svm_CellWaits follow, and in a multiple of 16 bytes behind them a kernel's struct as the SPE
// has it, with the blocks that it points to. In front of the struct lies, where the kernel promises SVM_KERNEL(input_first), the
// svm_CellStream of each stream that the run has, in a multiple of 16 bytes with zeroes at the end: `ls` is behind it then. In the SPE a
// command lies in a ring; `ring` bytes of it from its beginning on.
typedef struct svm_CellCommand {
    uint32_t bytes; // of all of it
    uint16_t kind, waits;
    uint32_t tells;  // the SPEs that are told when it is complete: bits
    uint32_t kernel; // KERNEL: which. Transfers of an svm_CellRepeat: of which of its places, plus 1
    uint64_t ea;     // transfers: of the other side. KERNEL: where the struct goes when it has run
    uint32_t ls;     // transfers: in the local store. KERNEL: of the struct in the command
    uint32_t length; // GET, PUT: bytes. KERNEL: those of the struct
} svm_CellCommand;

// Groups of bytes at the other side of a transfer, one after the other in the local store. Group i begins `stride` bytes
// behind the one before; or it is that of the i-th index, when there are indices.
typedef struct svm_CellGroups {
    uint32_t count, bytes, stride;
    uint32_t indices, indexBytes; // in the local store, of 4 or 8 bytes each; indices 0: none
    uint32_t limit;               // indices are below it
    uint32_t unused[2];
} svm_CellGroups;

// Of a stream in a stream register file, in memory (svmr_SrfStream): how many records it has, and where a suspended kernel
// stopped reading. What writes the stream sets it, before its command is complete.
typedef struct svm_CellRecords {
    uint64_t records, resume;
} svm_CellRecords;

// Loads and stores of stream instructions. `count` groups of bytes lie one after the other in the local store. At the other
// side each begins `stride` bytes behind the one before, or is that of the i-th index. Of a stream that a command before
// writes it is known only then how many groups there are.
typedef struct svm_CellWords {
    uint64_t records, indexRecords; // effective addresses of svm_CellRecords: as many groups, as many indices, or 0
    uint64_t made;                  // where to put how many groups there were, or 0
    uint32_t count;                 // more are an error
    uint32_t bytes, stride;
    uint32_t indices, indexBytes, limit; // as in svm_CellGroups
    uint32_t put;                        // from the local store
    uint32_t operation;                  // an svm_Operation: what is there is combined
    uint32_t unused[2];
} svm_CellWords;

// A kernel of stream instructions, and its svm_CellPorts behind it. It comes back to the command when it has run.
typedef struct svm_CellInstruction {
    uint64_t object, parameters; // effective addresses: what an error is told with; parameter register 0
    uint32_t firstParameter, parameterCount, ports, inputs;
    uint32_t restored, suspended, unused[2];
} svm_CellInstruction;
typedef struct svm_CellPort {
    svm_CellRecords its;          // when the kernel runs
    uint64_t where;               // effective address of that
    uint32_t data, bytes, length; // in the local store; of a record; records that there is room for
    uint32_t position;            // records read or written
    uint32_t unused[2];
} svm_CellPort;

// Commands that come again and again. They lie in memory as in a queue, from the beginning of a lap of the ring on, and the
// last of them fills its lap. What a command waits for counts from the SPE's first of the same time on: it may be one of the
// time before. A kernel's struct goes back after the last time only.
enum { SVM_CELL_PLACES = 8 };
typedef struct svm_CellRepeat {
    uint64_t commands; // effective address
    uint64_t spent;    // of an svm_CellSpent for each command of each time; 0: the program does not predict time
    uint32_t bytes;    // to be fetched: of the last command only the beginning,
    uint32_t skipped;  // and not the rest
    uint32_t times;
    uint32_t goesOn; // the commands before it are the same, as often as they were said to come
    struct {
        uint64_t at, step; // transfers from and to it begin here, and move on by so many bytes each time
    } places[SVM_CELL_PLACES];
    struct {
        uint32_t first, each; // number of the first command; how many come each time
        uint32_t before;      // number behind the last of the time before
    } spes[SVM_CELL_SPES];
} svm_CellRepeat;

// What a kernel's run has counted (svm/sim_table.h), in programs that predict time: the end of its command has room for it.
typedef struct svm_CellSpent {
    uint64_t counts[32], firings;
    double cycles;
} svm_CellSpent;

// Words that others write by a transfer of 16 bytes. Which commands are complete that are not among the first `count`: bit
// n % 32 is that of command n, of the window. `again` is the same as count.
typedef struct svm_CellCount {
    volatile uint32_t count, ahead, again;
    uint32_t unused;
} svm_CellCount;

// A stream in a local store. Its producer writes the first 16 bytes, which may be a PASS of another SPE; its consumer the next.
typedef struct svm_CellStream {
    volatile uint32_t written, back; // elements ever pushed; where the next goes, in elements
    uint32_t unused[2];
    volatile uint32_t read, front;
    uint32_t unused2[2];
    uint32_t data, capacity, elementSize;
    uint32_t group;             // elements that are whole quadwords: transfers move multiples of it
    volatile uint32_t watchers; // SPEs that a signal tells when something is popped: bits
    uint32_t number;            // of the SPE's streams
    uint32_t pushAcquired, popAcquired;
    uint32_t pusher, popper; // the transfer under way that has this end: its command's number, plus 1; 0: none has
    uint32_t unused3[2];
} svm_CellStream;

// What uses a stream, and what was wrong with that.
typedef enum svm_CellUse {
    SVM_CELL_MOVES, // a FILL, EMPTY or PASS
    SVM_CELL_PUSH,
    SVM_CELL_POP,
    SVM_CELL_PEEK,
    SVM_CELL_PUSH_ACQUIRE,
    SVM_CELL_PUSH_SEND,
    SVM_CELL_POP_ACQUIRE,
    SVM_CELL_POP_DISCARD
} svm_CellUse;
typedef enum svm_CellMisuse {
    SVM_CELL_NO_STREAM, // it is none of the local store's
    SVM_CELL_NOTHING_WANTED,
    SVM_CELL_TOO_MUCH,
    SVM_CELL_WRAPS,
    SVM_CELL_NOT_ACQUIRED,
    SVM_CELL_END_TAKEN // a transfer, or a window, has the end that is used
} svm_CellMisuse;

// In each SPE's local store: what the PPE tells it by storing to it, and what other SPEs do by transfers.
typedef struct svm_CellShared {
    uint64_t queue;    // effective addresses: of the commands,
    uint64_t complete; // of the PPE's svm_CellCount for this SPE
    uint32_t queueBytes, self;
    volatile uint32_t available; // bytes ever put into the queue
    volatile uint32_t wanted;    // the PPE sleeps until so many commands are complete
    volatile uint32_t asleep;    // the SPE waits for signal register 1, and looks at `available` when that comes
    volatile uint32_t rouses;    // SPEs that this one is to wake: bits, which it takes out
    uint32_t unused[2];
    struct {
        uint64_t complete, signal; // effective addresses: where SPE i keeps our count, its signal register 1
    } peers[SVM_CELL_SPES];
    svm_CellCount complete_by[SVM_CELL_SPES]; // how many commands of SPE i are complete
} svm_CellShared;

// What an SPE tells first, in words of its outbound interrupt mailbox: its svm_CellShared's address, where the local memory
// of the SVM C begins, the address of the ring of commands and its size, that of the svm_CellStreams (0: it has none).
typedef enum svm_CellHello {
    SVM_CELL_SHARED,
    SVM_CELL_LOCAL,
    SVM_CELL_RING,
    SVM_CELL_RING_BYTES,
    SVM_CELL_STREAM_TABLE,
    SVM_CELL_HELLOS
} svm_CellHello;

// Calls from an SPE that the PPE serves (calls.def), by the number of the callback and a record in the local store.
enum { SVM_CELL_CALLBACK = 0x53, SVM_CELL_ARGUMENTS = 8 };
typedef struct svm_CellCall {
    uint32_t function, unused[3];
    uint64_t arguments[SVM_CELL_ARGUMENTS];
} svm_CellCall;

// Objects of the API as an SPE has them: svm_Block (svm/svm.h) in 32 bits.
typedef struct svm_CellBlock {
    uint32_t data, capacity, elementSize, memory, address, name, check, machine;
} svm_CellBlock;
#define SVM_CELL_ELSEWHERE UINT32_C(0xFFFFFFF0) // data of a block that the SPE does not reach

#endif
