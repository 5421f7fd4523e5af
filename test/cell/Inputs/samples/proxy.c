/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The PPE moves an SPE's data itself, by the proxy commands: into the local store before the SPE works, and back. */
#include <libspe2.h>
#include <pthread.h>
#include <stdio.h>

enum { COUNT = 2048, ROUNDS = 6 };
extern spe_program_handle_t proxy_spu;
static int data[ROUNDS][COUNT] __attribute__((aligned(128)));

static void *run(void *context)
{
    unsigned int entry = SPE_DEFAULT_ENTRY;
    spe_context_run((spe_context_ptr_t)context, &entry, 0, NULL, NULL, NULL);
    return NULL;
}

static void wait_for(spe_context_ptr_t spe, unsigned int tag)
{
    unsigned int status = 0;
    if (spe_mfcio_tag_status_read(spe, 1u << tag, SPE_TAG_ALL, &status) != 0 || status != 1u << tag)
        printf("proxy: status 0x%x\n", status);
}

static unsigned int hear(spe_context_ptr_t spe)
{
    unsigned int word;
    while (spe_out_mbox_status(spe) == 0)
        ;
    spe_out_mbox_read(spe, &word, 1);
    return word;
}

int main(void)
{
    pthread_t thread;
    spe_context_ptr_t spe = spe_context_create(0, NULL);
    long sum = 0;
    for (int i = 0; i < ROUNDS * COUNT; i++)
        data[i / COUNT][i % COUNT] = i;
    spe_program_load(spe, &proxy_spu);
    pthread_create(&thread, NULL, run, spe);
    const unsigned int buffer = hear(spe); /* where it lies in the local store */
    for (unsigned int n = 0; n < ROUNDS; n++) {
        const unsigned int tag = n % 4, go = n + 1;
        spe_mfcio_get(spe, buffer, data[n], sizeof data[n], tag, 0, 0);
        wait_for(spe, tag);
        spe_in_mbox_write(spe, (unsigned int *)&go, 1, SPE_MBOX_ANY_BLOCKING);
        hear(spe);
        spe_mfcio_put(spe, buffer, data[n], sizeof data[n] / 2, tag, 0, 0);
        spe_mfcio_putf(spe, buffer + sizeof data[n] / 2, data[n] + COUNT / 2, sizeof data[n] / 2, tag, 0, 0);
        wait_for(spe, tag);
    }
    unsigned int end = 0;
    spe_in_mbox_write(spe, &end, 1, SPE_MBOX_ANY_BLOCKING);
    pthread_join(thread, NULL);
    for (int i = 0; i < ROUNDS * COUNT; i++)
        sum += data[i / COUNT][i % COUNT];
    printf("proxy: errors %d, sum %ld\n", spe_mfcio_get(spe, buffer, data, 16, 16, 0, 0) == 0,
           sum); /* tag 16 is not the PPE's */
    spe_context_destroy(spe);
    return 0;
}
