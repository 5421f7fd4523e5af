/* Dynamic in SVM C, made by svmc 0.1.0 from /work/h3/test/library/Inputs/outside-dynamic.str.
   svmc --library --prefix=D outside-dynamic.str */
#include <svm/messages.h>
#include <svm/library.h>

SVM_MACHINE("host"); SVM_MEMORY(GMEM); SVM_PROCESSOR(CPU); SVM_PROCESSOR(CORE0);

/* The arguments of messages. */
typedef struct { int a0; } set_message;
typedef union { set_message m0; } any_message;

/* Plus, outside-dynamic.str:2 */
typedef struct { int plus; } Plus_State;

static inline void Plus_set(int *plus, int p)
{
    *plus = p;
}

SVM_FIRE(stateful, pop(1), push(1))
static inline void Plus_fire(const int *restrict in, int *restrict out, int *plus)
{
    out[0] = in[0] + *plus;
}

SVM_OUTLINED static void Plus_strip(const int *restrict in, int *restrict out, ptrdiff_t count,
                                    Plus_State *restrict state)
{
    int plus = state->plus;
    for (ptrdiff_t i = 0; i < count; i++)
        Plus_fire(in + i, out + i, &plus);
    state->plus = plus;
}

/* Keep, outside-dynamic.str:1 */
SVM_FIRE(stateless)
SVM_INLINED static inline void Keep_fire(svm_DynamicEnds *dynamic)
{
    int x = *(const int *)svm_dynamicPop(dynamic, sizeof(int));
    *(int *)svm_dynamicPushIf(dynamic, x > 0, sizeof(int), &(int){0}) = x;
}

/* What a firing of Keep declares: pop, peek and push, the least and the most (-1: no bound); bytes of items; whether
   it is known to pop, peek and push so; whether it may stop the program, and is paced by steady states. */
static const svm_DynamicRates Keep_kernel_rates = {1, 1, 1, 1, 0, 1, sizeof(int), sizeof(int),
    true, true, true, false, true, "Keep", "/work/h3/test/library/Inputs/outside-dynamic.str:1:24"};

/* Kernel Keep: a filter with dynamic rates, and its state. */
typedef struct {
    svm_Kernel kernel;
    svm_DynamicActor dynamic;
} Keep_Kernel;

/* A firing, however long it waits for items and room; false: there is none. */
SVM_OUTLINED static bool Keep_kernel_firing(Keep_Kernel *self)
{
    svm_DynamicEnds ends = svm_dynamicEnds(&self->dynamic, &Keep_kernel_rates), *const dynamic = &ends;
    if (!svm_dynamicBegin(dynamic))
        return false;
    Keep_fire(dynamic);
    svm_dynamicDone(dynamic);
    svm_dynamicTell(dynamic);
    return true;
}

/* Kernel Keep, run on CORE0; the estimate counts the operations of a firing. */
SVM_KERNEL(estimate(10, 4))
static void Keep_kernel(svm_Kernel *kernel)
{
    Keep_Kernel *self = (Keep_Kernel *)kernel;
    while (Keep_kernel_firing(self)) {
        svm_DynamicEnds ends = svm_dynamicEnds(&self->dynamic, &Keep_kernel_rates), *const dynamic = &ends;
        for (ptrdiff_t fit; (fit = svm_dynamicFit(dynamic)) > 0;)
            for (; fit > 0; fit--) {
                Keep_fire(dynamic);
            }
        svm_dynamicTell(dynamic);
    }
}

/* Kernel Plus: the channels and the state of its 1 stage. */
typedef struct {
    svm_Kernel kernel;
    svm_StaticRegion region;
    struct { /* what it works with: per actor, per row and channel of the rates, per stream, per block */
        int64_t firings[1], limits[1], fired[1], tokens[2];
        int64_t held[1], more[1];
        bool ended[1];
        svm_Channel *in[1];
        svm_Block *inBlocks[1];
        svm_Channel *out[1];
        svm_Block *outBlocks[1];
        svm_Block *blocks[2];
    } work;
    struct { ptrdiff_t Plus; } firings; /* how often it fires in this run */
    svm_Block *Keep_to_Plus_in, *Plus_out;
    Plus_State Plus;
    svm_Mail svm_mail;
} Plus_Kernel;

/* Where the inputs of each actor begin. */
static const int32_t Plus_kernel_inputStart[] = {0, 1};

/* Inputs of each actor: channel, peek, pop. */
static const svm_Port Plus_kernel_inputs[] = {{0, 1, 1}};

/* Outputs of each actor: channel, push. */
static const svm_OutPort Plus_kernel_outputs[] = {{1, 1}};

/* The rates of the actors. */
static const svm_RateTable Plus_kernel_rates[] = {{1, 2, Plus_kernel_inputStart, Plus_kernel_inputs, Plus_kernel_inputStart, Plus_kernel_outputs, NULL}};

/* How often each actor fires in the initialisation. */
static const int64_t Plus_kernel_init[] = {0};

/* How often each actor fires in a steady state. */
static const int64_t Plus_kernel_steady[] = {1};

/* For how many firings the blocks have room at the end of input. */
static const int64_t Plus_kernel_room[] = {8192};

/* Most firings of each actor at the end of input; -1: as its input allows. */
static const int64_t Plus_kernel_limits[] = {-1};

/* Streams in: channel in the rates; where items begin in their block, in the initialisation
   and later; items that the initialisation needs and moves, a steady state moves, stay in between. */
static const svm_RegionEnd Plus_kernel_in[] = {{0, 0, 0, 0, 0, 1, 0}};

/* Streams out: channel in the rates; where items begin in their block, in the initialisation
   and later; items that the initialisation needs and moves, a steady state moves, stay in between. */
static const svm_RegionEnd Plus_kernel_out[] = {{1, 0, 0, 0, 0, 1, 0}};

/* By how much the blocks grow: once, and for each steady state. */
static const svm_BlockRow Plus_kernel_blocks[] = {{0, 1}, {0, 1}};

/* All that is fixed of Plus. */
static const svm_RegionTable Plus_kernel_table[] = {{.actors = 1, .strip = 8192, .sources = false, .init = Plus_kernel_init, .reps = Plus_kernel_steady,
 .room = Plus_kernel_room, .initRoom = Plus_kernel_init, .rates = Plus_kernel_rates, .rows = NULL,
 .limits = Plus_kernel_limits, .initLimits = Plus_kernel_limits, .enqueued = NULL, .between = NULL,
 .inputs = 1, .in = Plus_kernel_in, .outputs = 1, .out = Plus_kernel_out, .blocks = 2, .blockRows = Plus_kernel_blocks}};

/* One run of Plus. */
static void Plus_kernel_run(svm_Kernel *kernel)
{
    Plus_Kernel *self = (Plus_Kernel *)kernel;
    int *Keep_to_Plus_in = svm_blockData(self->Keep_to_Plus_in), *Plus_out = svm_blockData(self->Plus_out);

    Plus_strip(Keep_to_Plus_in, Plus_out, self->firings.Plus, &self->Plus); /* Plus, outside-dynamic.str:10 */
}

/* Kernel Plus, run on CORE0; the estimate counts the operations of a steady state. */
SVM_KERNEL(estimate(10, 4))
static void Plus_kernel(svm_Kernel *kernel)
{
    Plus_Kernel *self = (Plus_Kernel *)kernel;
    while (svm_regionNext(&self->region)) {
        for (svm_Message *m; (m = svm_mailNext(&self->svm_mail)) != NULL;) {
            switch (m->handler) {
            case 0: {
                set_message *a = m->arguments;
                Plus_set(&self->Plus.plus, a->a0);
                break;
            }
            }
        }
        self->firings.Plus = self->work.firings[0];
        Plus_kernel_run(kernel);
        svm_regionSend(&self->region);
    }
}

/* One running Dynamic. */
typedef struct {
    svm_Net net; /* how its kernels hang together, and how far it has come */
    int64_t iterations; /* steady states asked for in this call of run */
    size_t memory; /* where the channels within kernels lie */
    svm_Block channels[2];
    svm_Channel streams[3]; /* the channels between kernels */
    Keep_Kernel Keep;
    Plus_Kernel Plus;
    svm_NetKernel *kernels[2];
    svm_Reader readers[1];
    svm_NetReader inputs[1];
    svm_Writer writers[1];
    svm_NetWriter outputs[1];
    int64_t svm_writerLeft[1];
} Dynamic_Instance;

/* Where each channel lies in the program's memory, how many items it holds and of what size. */
static const svm_ChannelPlace Dynamic_channels[] = {
    {0, 8192, sizeof(int), "Keep_to_Plus_in"}, {32768, 8192, sizeof(int), "Plus_out"}};

/* The channels between kernels: who gives and who takes, and how many items of what size there is room for at first. */
static const svm_ChannelRow Dynamic_streams[] = {
    {"input_to_Keep", "input", "/work/h3/test/library/Inputs/outside-dynamic.str:7", "Keep", "/work/h3/test/library/Inputs/outside-dynamic.str:9", 8192, sizeof(int)},
    {"Keep_to_Plus", "Keep", "/work/h3/test/library/Inputs/outside-dynamic.str:9", "Plus", "/work/h3/test/library/Inputs/outside-dynamic.str:10", 16384, sizeof(int)},
    {"Plus_to_output", "Plus", "/work/h3/test/library/Inputs/outside-dynamic.str:10", "output", "/work/h3/test/library/Inputs/outside-dynamic.str:7", 16384, sizeof(int)},
};

/* Items that each writer takes in the initialisation; -1: all there are. */
static const int64_t Dynamic_writerInit[] = {-1};

/* And in a steady state. */
static const int64_t Dynamic_writerSteady[] = {0};

/* Gives the kernel Keep its streams, blocks and state. */
static void Keep_kernel_create(Dynamic_Instance *self)
{
    svm_kernelInit(&self->Keep.kernel, &CORE0, Keep_kernel, "Keep");
    self->Keep.dynamic.common.kernel = &self->Keep.kernel;
    self->Keep.dynamic.common.paced = true;
    self->Keep.dynamic.common.init = 0;
    self->Keep.dynamic.common.steady = 1;
    self->kernels[0] = &self->Keep.dynamic.common;
    self->Keep.dynamic.in = &self->streams[0];
    self->Keep.dynamic.out = &self->streams[1];
    self->streams[0].consumer = &self->Keep.dynamic.common;
    self->streams[1].producer = &self->Keep.dynamic.common;
}

/* Gives the kernel Plus its streams, blocks and state. */
static void Plus_kernel_create(Dynamic_Instance *self)
{
    svm_kernelInit(&self->Plus.kernel, &CORE0, Plus_kernel, "Plus");
    self->Plus.region.common.kernel = &self->Plus.kernel;
    self->kernels[1] = &self->Plus.region.common;
    self->Plus.Keep_to_Plus_in = &self->channels[0];
    self->Plus.Plus_out = &self->channels[1];
    self->Plus.region.table = Plus_kernel_table;
    self->Plus.region.begun = true;
    self->Plus.region.common.region = &self->Plus.region;
    self->Plus.region.firings = self->Plus.work.firings;
    self->Plus.region.limits = self->Plus.work.limits;
    self->Plus.region.fired = self->Plus.work.fired;
    self->Plus.region.tokens = self->Plus.work.tokens;
    self->Plus.work.in[0] = &self->streams[1];
    self->Plus.work.inBlocks[0] = &self->channels[0];
    self->Plus.region.in = self->Plus.work.in;
    self->Plus.region.inBlocks = self->Plus.work.inBlocks;
    self->Plus.work.out[0] = &self->streams[2];
    self->Plus.work.outBlocks[0] = &self->channels[1];
    self->Plus.region.out = self->Plus.work.out;
    self->Plus.region.outBlocks = self->Plus.work.outBlocks;
    self->Plus.region.held = self->Plus.work.held;
    self->Plus.region.more = self->Plus.work.more;
    self->Plus.region.inputEnded = self->Plus.work.ended;
    self->Plus.work.blocks[0] = &self->channels[0];
    self->Plus.work.blocks[1] = &self->channels[1];
    self->Plus.region.blocks = self->Plus.work.blocks;
    self->streams[1].consumer = &self->Plus.region.common;
    self->streams[2].producer = &self->Plus.region.common;
}

/* A new Dynamic, which has run nothing yet. */
static void *Dynamic_createInstance(const svm_Settings *settings)
{
    Dynamic_Instance *self = calloc(1, sizeof *self);
    if (self == NULL)
        return NULL;
    svm_libraryKeep(settings, self);
    self->net = (svm_Net){
        .memory = &GMEM, .strip = 8192,
        .kernelCount = 2, .kernels = self->kernels,
        .channelCount = 3, .channels = self->streams,
        .writerInit = Dynamic_writerInit, .writerSteady = Dynamic_writerSteady, .writerLeft = self->svm_writerLeft,
        .readerCount = 1, .readers = self->inputs,
        .writerCount = 1, .writers = self->outputs,
    };
    self->memory = svm_alloc(&GMEM, 65536);
    svm_channelsPlace(self->channels, Dynamic_channels, 2, &GMEM, self->memory);
    for (size_t i = 0; i < 3; i++)
        svm_channelInit(&self->net, &self->streams[i], &Dynamic_streams[i]);
    Keep_kernel_create(self);
    Plus_kernel_create(self);
    self->Plus.region.common.mail = &self->Plus.svm_mail;
    self->readers[0] = (svm_Reader){.path = NULL,
                                    .where = "input at /work/h3/test/library/Inputs/outside-dynamic.str:7",
                                    .item = SVM_ITEM_INT, .elementSize = sizeof(int)};
    svm_readerOpen(&self->readers[0], settings);
    self->inputs[0] = (svm_NetReader){&self->readers[0], &self->streams[0], 0, 1, NULL, 0, 0};
    self->writers[0] = (svm_Writer){.path = NULL,
                                    .where = "output at /work/h3/test/library/Inputs/outside-dynamic.str:7",
                                    .item = SVM_ITEM_INT, .elementSize = sizeof(int)};
    svm_writerOpen(&self->writers[0], settings);
    self->outputs[0] = (svm_NetWriter){&self->writers[0], &self->streams[2]};
    return self;
}

/* Up to self->iterations steady states, the initialisation before the first; 0 once input has ended. */
SVM_CONTROL(CPU)
static int Dynamic_control(Dynamic_Instance *self)
{
    return svm_netRun(&self->net, self->iterations);
}

static bool Dynamic_runInstance(void *instance, int64_t iterations)
{
    Dynamic_Instance *self = instance;
    self->iterations = iterations;
    return Dynamic_control(self) != 0;
}

static int64_t Dynamic_steadyStates(const void *instance)
{
    return ((const Dynamic_Instance *)instance)->net.steadyStates;
}

/* No steady states follow: fires what can still fire. */
static void Dynamic_drainInstance(void *instance)
{
    Dynamic_Instance *self = instance;
    svm_netFinish(&self->net);
}

/* Closes files and frees everything. */
static void Dynamic_destroyInstance(void *instance)
{
    Dynamic_Instance *self = instance;
    svm_netDestroy(&self->net);
    for (size_t i = 0; i < 1; i++)
        svm_readerClose(&self->readers[i]);
    for (size_t i = 0; i < 1; i++)
        svm_writerClose(&self->writers[i]);
    svm_free(&GMEM, self->memory);
    free(self);
}

/* Frees what is left when an error has stopped it; its machine is gone. */
static void Dynamic_forgetInstance(void *instance)
{
    Dynamic_Instance *self = instance;
    svm_netForget(&self->net);
    svm_readerClose(&self->readers[0]);
    svm_writerForget(&self->writers[0]);
    free(self);
}

/* The arguments of set. */
static const svm_OutsideValue Dynamic_arguments0[] = {{SVM_ITEM_INT, offsetof(set_message, a0), 1}};

/* Who gets messages to p. */
static const svm_OutsideTo Dynamic_receivers0[] = {{"Plus", 1, 0, 0, NULL}};

/* Messages from outside: portal, handler, and what it takes. */
static const svm_OutsideRow Dynamic_outsideRows[] = {
    {"p", "set", "int p", 0, sizeof(set_message), 1, 1, Dynamic_arguments0, Dynamic_receivers0}};

static svm_Net *Dynamic_netOf(void *instance)
{
    return &((Dynamic_Instance *)instance)->net;
}

static const svm_Outside Dynamic_outside = {&svm_outsideFunctions, Dynamic_netOf, 1, Dynamic_outsideRows, 0, 1};

static const svm_KernelFires Dynamic_fires[] = { /* in a steady state, for profiles */
    {"Plus", "Plus 1"},
    {"Keep", "Keep 1"},
    {NULL, NULL}};

static const svm_Program Dynamic_program = {
    .name = "Dynamic", .create = Dynamic_createInstance, .run = Dynamic_runInstance, .drain = Dynamic_drainInstance,
    .destroy = Dynamic_destroyInstance, .reads_input = true, .writes_output = true,
    .steady_states = Dynamic_steadyStates, .dynamic = true, .kernels = Dynamic_fires, .outside = &Dynamic_outside};

/* What the library's functions have to know. */
static const svm_LibraryRow Dynamic_row = {
    .program = &Dynamic_program,
    .forget = Dynamic_forgetInstance,
    .prefix = "D",
    .inputSize = sizeof(int),
    .initInput = 0,
    .steadyInput = 1,
    .outputSize = sizeof(int),
    .steadyOutput = -1,
};

/* The library's functions. */
typedef struct D D; /* svm_Library, to others */

D *D_create(void)
{
    return (D *)svm_libraryCreate(&Dynamic_row);
}

int D_process(D *self, const int *in, size_t count, size_t *consumed, int *out, size_t capacity, size_t *produced)
{
    return svm_libraryProcess((svm_Library *)self, in, count, consumed, out, capacity, produced);
}

int D_drain(D *self, int *out, size_t capacity, size_t *produced)
{
    return svm_libraryDrain((svm_Library *)self, out, capacity, produced);
}

int D_send_set(D *self, int p, int64_t when)
{
    set_message svm_message;
    svm_message.a0 = p;
    return svm_librarySend((svm_Library *)self, "send_set", 0, &svm_message, when);
}

int D_reset(D *self)
{
    return svm_libraryReset((svm_Library *)self);
}

int D_destroy(D *self)
{
    return svm_libraryDestroy((svm_Library *)self);
}

const char *D_error(const D *self)
{
    return svm_libraryError((const svm_Library *)self);
}
