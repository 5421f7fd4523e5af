// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The contract macros of SVM C: what a low-level compiler must know, said in the text. Under clang they become
// annotations, which libclang and llvm.global.annotations both see; under any other compiler they vanish.
#ifndef SVM_CONTRACT_H
#define SVM_CONTRACT_H

#if defined(__clang__)
#define SVM_ANNOTATE(text) __attribute__((annotate(text)))
#else
#define SVM_ANNOTATE(text)
#endif

#if defined(__GNUC__)
#define SVM_UNUSED __attribute__((unused))
// Behind the name of a constant table that vectors are loaded from: none lies in two cache lines.
#define SVM_TABLE __attribute__((unused, aligned(64)))
#else
#define SVM_UNUSED
#define SVM_TABLE
#endif

// At file scope, each followed by a semicolon. Names are those of the machine file; SVM_MACHINE comes first (memories
// and processors keep a pointer to its text).
//   SVM_MACHINE("simple-svm"); SVM_MEMORY(GMEM); SVM_PROCESSOR(PROC1);
#define SVM_MACHINE(name) static const char svm_machineName[] SVM_UNUSED SVM_ANNOTATE("svm.machine=" name) = name
#define SVM_MEMORY(name)                                                                                               \
    static svm_Memory name SVM_UNUSED SVM_ANNOTATE("svm.memory=" #name) = {#name, 0, svm_machineName}
#define SVM_PROCESSOR(name)                                                                                            \
    static svm_Processor name SVM_UNUSED SVM_ANNOTATE("svm.processor=" #name) = {#name, 0, svm_machineName}

// Before a firing function: one firing of one actor (or of several fused ones).
//   SVM_FIRE(stateless, peek(64), pop(1), push(1))    or stateful; rates in items
// Further ports: peek2(..) pop2(..) push2(..). firings(n): a call does n firings, and the rates are those of the call.
// thread: what one thread of a launch does, see svm/launch.h.
// cost(cycles): what one firing takes on the kernel's processor, for simulation.
#define SVM_FIRE(...) SVM_ANNOTATE("svm.fire=" #__VA_ARGS__)
// Before a kernel's run function, void f(svm_Kernel *).
//   SVM_KERNEL(cost(start, per_firing))       cycles of the kernel's processor: they hold for simulation, (0, 0) is unknown
//   SVM_KERNEL(estimate(start, per_firing))   operations as a compiler guesses, for information: simulation counts instead
//   SVM_KERNEL(holds_processor)               also beside these; a promise: where a run waits for a stream, all that it waits for
//                                             goes on though its processor begins no other kernel, and no kernel or control
//                                             thread of a control processor uses the other end of its streams
//   SVM_KERNEL(holds_processor, input_first)  a further promise, so that a run may begin late, and others of its processor before it: each
//                                             stream that its struct has, where the pointer is not null, is moved by one svm_MoveB2S or
//                                             svm_MoveS2B, run before the kernel's next run, which brings all that the run pops of it,
//                                             and that is something, or takes all that it pushes; and no such move waits, be it through
//                                             others, for what the run does
#define SVM_KERNEL(...) SVM_ANNOTATE("svm.kernel=" #__VA_ARGS__)
// Before the prototype of a function in another language or file that kernels call and that is linked beside the SVM C: it works on its arguments alone.
//   SVM_NATIVE extern float P_half(float x);
#define SVM_NATIVE SVM_ANNOTATE("svm.native")
// Before a control thread's function: int f(anything *).   SVM_CONTROL(CPU)
#define SVM_CONTROL(processor) SVM_ANNOTATE("svm.control=" #processor)

// Hints before a loop, which say nothing of what it does: its trips are few and worth writing out, so that subscripts
// become constant; it looks up by data, which vectors do worse than scalars; so do its trips, which are not to be written
// out either, or vectors would be put together of what they look up; its trips, so many, wait for nothing of each
// other, and are best done side by side in vectors. SVM_IN_ORDER begins a block: what it adds is not put into another order
// where the C compiler may do that (-Ofast).
#if defined(__clang__)
#define SVM_PRAGMA(text) _Pragma(#text)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(undefined_behavior_sanitizer)
#define SVM_ASIDE(trips) // their checks stand in each trip, and clang warns of a promise it does not keep
#else
#define SVM_ASIDE(trips) SVM_PRAGMA(clang loop vectorize_width(trips) interleave_count(1) unroll(disable))
#endif
#define SVM_UNROLL _Pragma("clang loop unroll(full)")
#define SVM_SCALAR _Pragma("clang loop vectorize(disable) interleave(disable)")
#define SVM_LOOP _Pragma("clang loop vectorize(disable) unroll(disable)")
#define SVM_IN_ORDER _Pragma("clang fp reassociate(off)")
#elif defined(__GNUC__) && __GNUC__ >= 8
#define SVM_ASIDE(trips)
#define SVM_UNROLL _Pragma("GCC unroll 64")
#define SVM_SCALAR
#define SVM_LOOP
#define SVM_IN_ORDER
#else
#define SVM_ASIDE(trips)
#define SVM_UNROLL
#define SVM_SCALAR
#define SVM_LOOP
#define SVM_IN_ORDER
#endif

#endif
