// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What emitted programs with teleport messages need beside svm/dynamic.h. A message is a record on a stream from its
// sender to its receiver. It says before which of the receiver's firings it is due; the receiver's runs end there,
// its kernel calls the handler, and goes on. Every function says on which side it may be called: K in kernels, C in
// control code.
//
// Let sdep(n) be the number of firings that the upstream end of a way needs so that the other can fire n times. A
// message of the sender's n-th firing with latency L is due just before the receiver's first firing m of which
// sdep(m) >= n + L, downstream, or just after its firing number sdep(n + L), upstream.
#ifndef SVM_MESSAGES_H
#define SVM_MESSAGES_H

#include "svm/dynamic.h"

#ifdef __cplusplus
extern "C" {
#endif

// A way that messages go, from one actor to another. Ways that have a bound on how far the receiver may be ahead tell
// it how often the sender has fired.
typedef struct svm_WayRow {
    const char *from, *fromAt, *to, *toAt; // the actors, and their places
    bool upstream; // the receiver is; it never fires more than sdep(s + 1 + latency) times while the sender has s times
    bool held;     // downstream: it fires for the m-th time when the sender has completed sdep(m) firings
    bool anytime;  // messages arrive before the receiver's next firing, whichever that is
    int64_t latency;             // the least, and at least 0
    int64_t known, period, step; // sdep(n) of n < known is in the table; sdep(n) = sdep(n - period) + step beyond
    const int64_t *sdep;
} svm_WayRow;

typedef struct svm_Way {
    const svm_WayRow *row;
    svm_Channel *messages;
    svm_Stream done; // private, as all that follows: has as many elements as the sender has completed firings
    size_t address;
    char *more; // messages that found the stream full: a kernel that sends does not wait, for it may be within its run
    size_t moreCount, moreRoom;
} svm_Way;

// Of an actor that sends.
typedef struct svm_Sender {
    int64_t firing; // number of the one under way, or of the last; a firing counts itself when it begins
    int32_t count;  // of what follows: by each of its portals, the receivers
    const int32_t *portals;
    svm_Way *const *ways;
} svm_Sender;

// A message as its handler gets it; `arguments` are the handler's own.
typedef struct svm_Message {
    int64_t due; // private
    const char *where;
    int32_t handler, latency;
    void *arguments;
} svm_Message;

// Of an actor that receives.
typedef struct svm_Mail {
    int32_t wayCount;
    svm_Way *const *ways; // by sender, in canonical order
    int64_t completed;    // firings
    bool open;            // private, as all that follows: the run that begins fires
    const svm_Way *awaited;
    struct svm_Pending *pending; // messages that have come and are not due yet, by when they are: from `first` on
    size_t first, count, room;
    svm_Message *current; // that was given last
    svm_Message **given;  // from outside, not yet collected; the machine's lock guards them
    size_t givenCount, givenRoom;
    svm_Machine *machine;
} svm_Mail;

// ---- Messages from outside the program: of --set, --control, and C programs that use a library ----

// Scalars of a message's arguments that lie side by side.
typedef struct svm_OutsideValue {
    svm_Item item; // never RAW
    size_t offset, count;
} svm_OutsideValue;

// A receiver. Its firing before which a message of the item (or the steady state) `when` is due: the first that depends
// on that item, if there is a row; else the first of the item's steady state, if it has steady states.
typedef struct svm_OutsideTo {
    const char *name;
    int32_t kernel;
    int64_t init, steady;  // firings; 0, 0: messages can only be for its next firing
    const svm_WayRow *row; // how its firings depend on the program's own input; NULL: they do not
} svm_OutsideTo;

// A handler of the receivers of a portal.
typedef struct svm_OutsideRow {
    const char *portal, *handler;
    const char *parameters; // for messages: "float gain, int[4] taps"
    int32_t number;         // of the handler
    size_t size;            // of the arguments
    size_t valueCount, toCount;
    const svm_OutsideValue *values;
    const svm_OutsideTo *to;
} svm_OutsideRow;

struct svm_Outside;
// What can be done with them, as pointers, so that programs without messages have none of it. Texts that they give are
// the caller's to free.
typedef struct svm_OutsideFunctions {
    void (*list)(const struct svm_Outside *o); // to standard output, for --help
    // C: sends "Portal.handler=value,value" or "Portal.handler value value"; instance NULL: only reads it. What is wrong
    // with it; NULL: nothing.
    char *(*set)(const struct svm_Outside *o, void *instance, const char *text);
    // C: the lines that can be read from a file are sent between the instance's runs; path NULL: no more. What is wrong
    // with the file; NULL: nothing.
    char *(*control)(const struct svm_Outside *o, void *instance, const char *path);
    // C: when: an item of the program's own input, counted from 0, or a steady state if it takes none; negative: before
    // each receiver's next firing. Bits of the arguments become 0 or 1. What is wrong; NULL: nothing.
    char *(*send)(const struct svm_Outside *o, void *instance, size_t row, void *arguments, int64_t when);
} svm_OutsideFunctions;
extern const svm_OutsideFunctions svm_outsideFunctions;

typedef struct svm_Outside {
    const svm_OutsideFunctions *functions;
    svm_Net *(*net)(void *instance);
    size_t count;
    const svm_OutsideRow *rows;
    int64_t inputInit, inputSteady; // items that it takes of its own input; 0, 0: none, and `when` means steady states
} svm_Outside;

// K: to all receivers of a portal. where: "fm.str:12" or "", for when it comes too late.
void svm_send(svm_Sender *s, int32_t portal, int32_t handler, int32_t latency, const char *where, const void *arguments,
              size_t size);
// K: the next message that is due before the firings that begin now, until the next call; NULL: none is.
svm_Message *svm_mailNext(svm_Mail *m);
// C: sets up a way. `messages` holds elements of sizeof(svm_Message) bytes and the arguments behind them.
void svm_wayInit(svm_Net *n, svm_Way *w, const svm_WayRow *row, svm_Channel *messages);

#ifdef __cplusplus
}
#endif

#endif
