// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define DEQUE 24
#define ITEMS 96
typedef struct { unsigned int head, tail, items[DEQUE], pad[6]; } deque_t;
typedef struct {
  unsigned long long deques, done, results;
  unsigned int spes, total, pad[24];
} params_t;
