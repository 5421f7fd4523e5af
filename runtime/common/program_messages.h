// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What messages ask of dynamic-rate actors, static regions and their control side.
#ifndef SVM_COMMON_PROGRAM_MESSAGES_H
#define SVM_COMMON_PROGRAM_MESSAGES_H

#include "runtime/common/program_dynamic.h"
#include "svm/messages.h"

// Of k firings of a receiver, how many its senders let it do now; 0: it has to wait.
int64_t svmr_mailAllows(svm_Mail *m, int64_t k);
// The same, and waits until that is at least one.
int64_t svmr_awaitMail(svm_Mail *m, int64_t k);
// Of k firings that the receiver has the items for, how many come before the next message that is not due at once.
int64_t svmr_cutAtMail(svm_Mail *m, int64_t k);
// The sender has completed so many firings; it completes no more.
void svmr_tellFirings(svm_Sender *s);
void svmr_endFirings(svm_Sender *s);
// The least count from 1 on whose sdep is at least `firings`.
int64_t svmr_firstThatNeeds(const svm_WayRow *r, int64_t firings);
// Control side: a message from outside; due 0: before the next firing, whichever that is.
void svmr_giveMail(svm_Mail *m, int64_t due, int32_t handler, const void *arguments, size_t size);
// Control side. No sender sends any more; true if somebody may have waited for that.
bool svmr_endMail(svm_Net *n);
void svmr_destroyMail(svm_Net *n);
void svmr_forgetMail(svm_Net *n); // frees what is not the machine's

#endif
