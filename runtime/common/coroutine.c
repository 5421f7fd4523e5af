// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Coroutines: a kernel that may have to wait runs on a stack of its own, taken from the machine's pool, with a guard
// below it: addresses where nothing lies. Switching saves what the calling convention says a call preserves, but the floating-point
// control words: kernels do not change them. Address and thread sanitizer are told of every switch if the program is
// linked with them.
#include "runtime/common/scheduler.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#if !defined(SVMR_UCONTEXT) && !(defined(__x86_64__) && !defined(__ILP32__)) && !defined(__aarch64__)
#define SVMR_UCONTEXT
#endif

// Address space; memory is only used as far as a kernel's frames reach. Kernels of a source program (m->deepStacks) may
// have frames of any size, and functions that call themselves.
#define STACK_BYTES ((size_t)1 << 20)
#define DEEP_STACK_BYTES ((size_t)1 << 28)
#define DEEP_GUARD_BYTES ((size_t)1 << 31) // a frame may be as large as the largest type

// The stack that a coroutine was entered from.
typedef struct Home {
    void *sp, *tsan;
    const void *bottom;
    size_t size;
} Home;

struct svmr_Coroutine {
    void *sp; // while it does not run
    Home *home;
    svmr_Kernel *kernel;
    char *memory; // the guard, then the stack
    size_t bytes, guard;
    void *fake, *tsan; // the sanitizers' own
    bool finished;     // the kernel's function has returned
    struct svmr_Coroutine *next;
};

// ---- The switch: push what must be kept, store the stack pointer in *save, go on at `load` ----

#ifdef SVMR_UCONTEXT

#include <ucontext.h>

// Here *save points to where the context is kept.
static void switchTo(void **save, void *load)
{
    swapcontext(*save, load);
}

#else

void svmr_switch(void **save, void *load);
void svmr_start(void);

#if defined(__x86_64__)
__asm__(".text\n"
        ".p2align 4\n"
        ".globl svmr_switch\n"
        ".hidden svmr_switch\n"
        ".type svmr_switch, @function\n"
        "svmr_switch:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size svmr_switch, .-svmr_switch\n"
        // The first switch to a coroutine returns here, with its function in r12 and its argument in r13.
        ".globl svmr_start\n"
        ".hidden svmr_start\n"
        ".type svmr_start, @function\n"
        "svmr_start:\n"
        "    .cfi_startproc\n"
        "    .cfi_undefined rip\n"
        "    movq %r13, %rdi\n"
        "    xorl %ebp, %ebp\n"
        "    callq *%r12\n"
        "    ud2\n"
        "    .cfi_endproc\n"
        ".size svmr_start, .-svmr_start\n");

// The initial contents of a stack whose end is 16-byte aligned.
static void *prepareStack(char *end, void (*function)(void *), void *argument)
{
    void **sp = (void **)(void *)end;
    *--sp = NULL;
    *--sp = NULL;
    *--sp = (void *)(uintptr_t)svmr_start; // return address
    *--sp = NULL;                          // rbp
    *--sp = NULL;                          // rbx
    *--sp = (void *)(uintptr_t)function;   // r12
    *--sp = argument;                      // r13
    *--sp = NULL;                          // r14
    *--sp = NULL;                          // r15
    return sp;
}
#else // aarch64
__asm__(".text\n"
        ".p2align 4\n"
        ".globl svmr_switch\n"
        ".hidden svmr_switch\n"
        ".type svmr_switch, %function\n"
        "svmr_switch:\n"
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp, #0]\n"
        "    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n"
        "    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n"
        "    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mov x2, sp\n"
        "    str x2, [x0]\n"
        "    mov sp, x1\n"
        "    ldp x19, x20, [sp, #0]\n"
        "    ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n"
        "    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n"
        "    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n"
        "    ret\n"
        ".size svmr_switch, .-svmr_switch\n"
        // The first switch to a coroutine returns here, with its function in x19 and its argument in x20.
        ".globl svmr_start\n"
        ".hidden svmr_start\n"
        ".type svmr_start, %function\n"
        "svmr_start:\n"
        "    .cfi_startproc\n"
        "    .cfi_undefined x30\n"
        "    mov x0, x20\n"
        "    mov x29, xzr\n"
        "    blr x19\n"
        "    brk #1\n"
        "    .cfi_endproc\n"
        ".size svmr_start, .-svmr_start\n");

static void *prepareStack(char *end, void (*function)(void *), void *argument)
{
    void **sp = (void **)(void *)(end - 160);
    memset(sp, 0, 160);
    sp[0] = (void *)(uintptr_t)function;    // x19
    sp[1] = argument;                       // x20
    sp[11] = (void *)(uintptr_t)svmr_start; // x30
    return sp;
}
#endif

static void switchTo(void **save, void *load)
{
    svmr_switch(save, load);
}

#endif

// ---- Sanitizers: there if the program is linked with them, whatever this file was compiled with ----

#define WEAK __attribute__((weak))
WEAK void __sanitizer_start_switch_fiber(void **fakeSave, const void *bottom, size_t size);
WEAK void __sanitizer_finish_switch_fiber(void *fake, const void **bottomOld, size_t *sizeOld);
WEAK void __asan_unpoison_memory_region(const volatile void *address, size_t size);
WEAK void __lsan_register_root_region(const void *address, size_t size);
WEAK void __lsan_unregister_root_region(const void *address, size_t size);
WEAK void *__tsan_get_current_fiber(void);
WEAK void *__tsan_create_fiber(unsigned flags);
WEAK void __tsan_destroy_fiber(void *fiber);
WEAK void __tsan_switch_to_fiber(void *fiber, unsigned flags);

// ---- Stacks ----

static char *stackBottom(const svmr_Coroutine *c)
{
    return c->memory + c->guard;
}
static size_t stackSize(const svmr_Coroutine *c)
{
    return c->bytes - c->guard;
}

bool svmr_beyondStack(const void *at)
{
    const svmr_Kernel *p = svmr_thread.current;
    const svmr_Coroutine *c = p ? p->coroutine : NULL;
    if (!c || (const char *)at >= stackBottom(c))
        return false;
    size_t reach = p->machine->deepStacks ? DEEP_GUARD_BYTES : c->guard; // frames are no smaller where the guard is
    return (size_t)(stackBottom(c) - (const char *)at) <= reach;
}

static char *mapStack(size_t stack, size_t guard) // NULL: the system gives none
{
    // The guard first: it must not count as memory that may be used.
    char *memory = mmap(NULL, guard + stack, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    if (mprotect(memory + guard, stack, PROT_READ | PROT_WRITE) == 0)
        return memory;
    munmap(memory, guard + stack);
    return NULL;
}

static size_t guardOf(size_t stack, bool deep)
{
    if (!deep)
        return (size_t)sysconf(_SC_PAGESIZE);
    return stack > STACK_BYTES ? stack * (DEEP_GUARD_BYTES / DEEP_STACK_BYTES) : STACK_BYTES;
}

// Where a limit (`ulimit -v`) bounds the addresses of the process, the stacks of all kernels take no more than half of them.
static size_t deepStack(size_t kernels)
{
    struct rlimit limit;
    size_t stack = DEEP_STACK_BYTES;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return stack;
    size_t share = (size_t)limit.rlim_cur / 2 / (kernels + 1);
    while (stack > STACK_BYTES && stack + guardOf(stack, true) > share)
        stack /= 2;
    return stack;
}

// One of so many kernels. NULL: p has failed.
static svmr_Coroutine *createCoroutine(svmr_Kernel *p, size_t kernels)
{
    bool deep = p->machine->deepStacks && sizeof(size_t) > 4;
    size_t stack = deep ? deepStack(kernels) : STACK_BYTES, guard = guardOf(stack, deep);
    char *memory;
    while (!(memory = mapStack(stack, guard)) && stack > STACK_BYTES) {
        stack /= 2;
        guard = guardOf(stack, deep);
    }
    if (!memory) {
        p->failure =
            svmr_newFailure(SVM_ERROR_STACK, svmr_name(p), (svmr_Place){"svm_kernelRun", p->runFile, p->runLine},
                            "the system gives no memory for another stack of %zu bytes", stack);
        return NULL;
    }
    svmr_Coroutine *c = svmr_allocate(1, sizeof *c);
    c->memory = memory;
    c->bytes = guard + stack;
    c->guard = guard;
    if (__lsan_register_root_region)
        __lsan_register_root_region(stackBottom(c), stackSize(c));
    if (__tsan_create_fiber)
        c->tsan = __tsan_create_fiber(0);
    return c;
}

static void destroyCoroutine(svmr_Coroutine *c)
{
    if (c->tsan)
        __tsan_destroy_fiber(c->tsan);
    if (__asan_unpoison_memory_region)
        __asan_unpoison_memory_region(stackBottom(c), stackSize(c));
    if (__lsan_unregister_root_region)
        __lsan_unregister_root_region(stackBottom(c), stackSize(c));
    munmap(c->memory, c->bytes);
    free(c);
}

void svmr_freeCoroutines(svm_Machine *m)
{
    while (m->freeCoroutines) {
        svmr_Coroutine *c = m->freeCoroutines;
        m->freeCoroutines = c->next;
        destroyCoroutine(c);
    }
}

// ---- Entering and leaving ----

static void arrive(svmr_Coroutine *c)
{
    if (__sanitizer_finish_switch_fiber)
        __sanitizer_finish_switch_fiber(c->fake, &c->home->bottom, &c->home->size);
}

// To where it was entered. A coroutine that has finished stays ready to run another kernel, so it always expects to come
// back.
static void depart(svmr_Coroutine *c, bool forGood)
{
    const Home *home = c->home;
    if (__sanitizer_start_switch_fiber)
        __sanitizer_start_switch_fiber(forGood ? NULL : &c->fake, home->bottom, home->size);
    if (__tsan_switch_to_fiber)
        __tsan_switch_to_fiber(home->tsan, 0);
    switchTo(&c->sp, home->sp);
    arrive(c);
}

static void coroutineMain(void *argument)
{
    svmr_Coroutine *c = argument;
    arrive(c);
    for (;;) {
        if (c->kernel->step)
            while (!c->kernel->step(c->kernel->kernel))
                depart(c, false);
        else
            c->kernel->kernel->run(c->kernel->kernel);
        c->finished = true;
        depart(c, false);
    }
}

#ifdef SVMR_UCONTEXT
static void coroutineMainHalves(unsigned low, unsigned high)
{
    coroutineMain((void *)(uintptr_t)((uint64_t)high << 32 | low));
}
#endif

static void prepare(svmr_Coroutine *c)
{
#ifdef SVMR_UCONTEXT
    // The context lies at the far end of the stack it describes.
    ucontext_t *u = (ucontext_t *)(void *)(stackBottom(c) + stackSize(c) - ((sizeof *u + 63) & ~(size_t)63));
    getcontext(u);
    u->uc_stack.ss_sp = stackBottom(c);
    u->uc_stack.ss_size = (size_t)((char *)u - stackBottom(c));
    u->uc_link = NULL;
    uint64_t address = (uint64_t)(uintptr_t)c;
    makecontext(u, (void (*)(void))(void *)(uintptr_t)coroutineMainHalves, 2, (unsigned)address,
                (unsigned)(address >> 32));
    c->sp = u;
#else
    c->sp = prepareStack(stackBottom(c) + stackSize(c), coroutineMain, c);
#endif
}

static svmr_Coroutine *takeCoroutine(svm_Machine *m, svmr_Kernel *p)
{
    svmr_lock(m);
    svmr_Coroutine *c = m->freeCoroutines;
    if (c)
        m->freeCoroutines = c->next;
    size_t kernels = m->kernelCount;
    svmr_unlock(m);
    if (!c) {
        c = createCoroutine(p, kernels);
        if (!c)
            return NULL;
        prepare(c);
    }
    c->kernel = p;
    p->coroutine = c;
    return c;
}

bool svmr_enter(svmr_Kernel *p)
{
    svm_Machine *m = p->machine;
    svmr_Coroutine *c = p->coroutine;
    if (!c && !(c = takeCoroutine(m, p))) {
        p->stop = SVMR_STOP_FAILED;
        return false;
    }
    Home home = {.sp = NULL};
    c->home = &home;
    void *fake = NULL;
    if (__sanitizer_start_switch_fiber)
        __sanitizer_start_switch_fiber(&fake, stackBottom(c), stackSize(c));
    if (__tsan_switch_to_fiber) {
        home.tsan = __tsan_get_current_fiber();
        __tsan_switch_to_fiber(c->tsan, 0);
    }
#ifdef SVMR_UCONTEXT
    ucontext_t here;
    home.sp = &here;
#endif
    switchTo(&home.sp, c->sp);
    if (__sanitizer_finish_switch_fiber)
        __sanitizer_finish_switch_fiber(fake, NULL, NULL);
    if (!c->finished)
        return false;
    c->finished = false;
    p->coroutine = NULL;
    svmr_lock(m);
    c->next = m->freeCoroutines;
    m->freeCoroutines = c;
    svmr_unlock(m);
    return true;
}

void svmr_leave(svmr_Kernel *p)
{
    depart(p->coroutine, false);
}

void svmr_quit(svmr_Kernel *p)
{
    depart(p->coroutine, true);
    abort(); // nobody enters it again
}

void svmr_releaseCoroutine(svmr_Kernel *p)
{
    if (p->coroutine)
        destroyCoroutine(p->coroutine);
    p->coroutine = NULL;
}
