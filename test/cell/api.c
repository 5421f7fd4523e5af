// Shows the PPE's side: programs from files and embedded, stops and results, transfers, mailboxes, signals, handlers of events
// and calls, loads and stores of mapped registers, wrong arguments.
//
// RUN: svm-spu-gcc -O2 -Wall %S/Inputs/api.spu.c -o %t.spu && svm-embedspu -m64 api_spu %t.spu %t.o
// RUN: svm-ppu-gcc -O2 -Wall -Werror %s %t.o -o %t && %t %t.spu 2>&1 | FileCheck %s
#include <libspe2.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

extern spe_program_handle_t api_spu;

static spe_context_ptr_t spe;
static unsigned char buffer[1024] __attribute__((aligned(128)));

static void send(unsigned what, unsigned value)
{
    unsigned word = what << 24 | value;
    spe_in_mbox_write(spe, &word, 1, SPE_MBOX_ALL_BLOCKING);
}

static unsigned receive(void)
{
    unsigned word;
    spe_out_intr_mbox_read(spe, &word, 1, SPE_MBOX_ALL_BLOCKING);
    return word;
}

static void *run(void *argp)
{
    unsigned entry = SPE_DEFAULT_ENTRY;
    spe_stop_info_t stop;
    int result;
    do {
        result = spe_context_run(spe, &entry, 0, argp, NULL, &stop);
        fprintf(stderr, "stopped: %d %u %d\n", result, stop.stop_reason, stop.result.spe_signal_code);
    } while (result > 0);
    return NULL;
}

static int handler(void *ls, unsigned long data)
{
    unsigned int word, *value;
    memcpy(&word, (char *)ls + data, 4);
    value = (unsigned int *)((char *)ls + (word & 0xFFFFFF));
    *value = *value * 10 + (word >> 24);
    return 0;
}

static const char *error(int result)
{
    return result != -1 ? "none" : errno == EINVAL ? "EINVAL" : errno == ESRCH ? "ESRCH" : errno == ENOTSUP ? "ENOTSUP" : errno == EAGAIN ? "EAGAIN"
         : errno == EACCES ? "EACCES" : errno == EBUSY ? "EBUSY" : "another";
}

int main(int argc, char **argv)
{
    (void)argc;
    unsigned entry = SPE_DEFAULT_ENTRY, words[6] = {1, 2, 3, 4, 5, 6}, status;
    spe_stop_info_t stop;
    pthread_t thread;
    setvbuf(stdout, NULL, _IONBF, 0);

    // A file; the same context runs it again.
    spe_program_handle_t *program = spe_image_open(argv[1]);
    spe = spe_context_create(0, NULL);
    printf("load %d\n", spe_program_load(spe, program));                              // CHECK: load 0
    printf("run %d", spe_context_run(spe, &entry, 0, (void *)1, (void *)7, &stop));   // CHECK-NEXT: run 0 code 7
    printf(" code %d\n", stop.result.spe_exit_code);
    entry = SPE_DEFAULT_ENTRY;
    printf("run %d", spe_context_run(spe, &entry, 0, (void *)1, (void *)300, &stop)); // CHECK-NEXT: run 0 code 44
    printf(" code %d\n", stop.result.spe_exit_code);
    printf("stop info: %s\n", error(spe_stop_info_read(spe, &stop)));                 // CHECK-NEXT: stop info: ENOTSUP
    printf("destroy %d\n", spe_context_destroy(spe));                                 // CHECK-NEXT: destroy 0
    printf("close %d\n", spe_image_close(program));                                   // CHECK-NEXT: close 0
    printf("open: %s\n", spe_image_open("/nowhere/x") ? "yes" : error(-1));           // CHECK-NEXT: open: another
    printf("open: %s\n", spe_image_open("/bin/sh") ? "yes" : error(-1));              // CHECK: not an SPE program
                                                                                      // CHECK: open: EINVAL
    // Events, mailboxes.
    spe = spe_context_create(SPE_EVENTS_ENABLE | SPE_MAP_PS | SPE_CFG_SIGNOTIFY1_OR, NULL);
    spe_program_load(spe, &api_spu);
    spe_event_handler_ptr_t events = spe_event_handler_create();
    spe_event_unit_t unit = {.events = SPE_EVENT_OUT_INTR_MBOX | SPE_EVENT_SPE_STOPPED, .spe = spe, .data.u32 = 77}, got[4];
    printf("register %d\n", spe_event_handler_register(events, &unit));               // CHECK-NEXT: register 0
    printf("nothing yet %d\n", spe_event_wait(events, got, 4, 20));                   // CHECK-NEXT: nothing yet 0
    printf("in mailbox: %d free, ", spe_in_mbox_status(spe));                         // CHECK-NEXT: in mailbox: 4 free, 4 written, 0 free, 0 written
    for (int i = 0; i < 6; i++)
        words[i] = 1u << 24 | (unsigned)i;
    printf("%d written, ", spe_in_mbox_write(spe, words, 6, SPE_MBOX_ANY_NONBLOCKING));
    printf("%d free, ", spe_in_mbox_status(spe));
    printf("%d written\n", spe_in_mbox_write(spe, words, 1, SPE_MBOX_ANY_NONBLOCKING));
    pthread_create(&thread, NULL, run, NULL);
    for (unsigned i = 0; i < 4; i++) {
        while (!spe_out_mbox_status(spe))
            ;
        spe_out_mbox_read(spe, &words[i], 1);
    }
    printf("echo %u %u %u %u\n", words[0], words[1], words[2], words[3]);             // CHECK-NEXT: echo 0 1 2 3
    printf("empty: %d\n", spe_out_mbox_read(spe, words, 1));                          // CHECK-NEXT: empty: 0
    send(2, 99);
    printf("event %d: ", spe_event_wait(events, got, 4, -1));                         // CHECK-NEXT: event 1: 1 77 value 99
    printf("%u %u value %u\n", got[0].events, got[0].data.u32, receive());
    send(8, 0);
    receive();
    send(2, 1);
    printf("spu event 0x%x\n", receive());                                            // CHECK-NEXT: spu event 0x10
    printf("then %u\n", receive());                                                   // CHECK-NEXT: then 1

    // Signals collect.
    spe_signal_write(spe, SPE_SIG_NOTIFY_REG_1, 1);
    spe_signal_write(spe, SPE_SIG_NOTIFY_REG_1, 4);
    send(3, 0);
    printf("signal %u\n", receive());                                                 // CHECK-NEXT: signal 5

    // Stop and go on; a handler of the PPE.
    send(4, 0x321);                                                                   // CHECK-NEXT: stopped: 801 2 801
    send(2, 12);
    printf("after stop %u\n", receive());                                             // CHECK-NEXT: after stop 12
    printf("event %d: ", spe_event_wait(events, got, 4, -1));                         // CHECK-NEXT: event 1: 8, reason 2 code 801
    printf("%u, ", got[0].events);
    spe_stop_info_read(spe, &stop);
    printf("reason %u code %d\n", stop.stop_reason, stop.result.spe_signal_code);
    printf("handler %d\n", spe_callback_handler_register((void *)handler, 0x40, SPE_CALLBACK_NEW)); // CHECK-NEXT: handler 0
    printf("again %s\n", error( // CHECK-NEXT: again EACCES
           spe_callback_handler_register((void *)handler, 0x40, SPE_CALLBACK_NEW)));
    send(5, 0x4008);
    printf("call %u\n", receive());                                                   // CHECK-NEXT: call 85

    // Transfers by the PPE.
    send(6, 0);
    const unsigned area = receive();
    for (unsigned i = 0; i < sizeof buffer; i++)
        buffer[i] = (unsigned char)(i * 3);
    printf("get %d, ", spe_mfcio_get(spe, area, buffer, 1024, 9, 0, 0));              // CHECK-NEXT: get 0, status 0 0x200
    const int read = spe_mfcio_tag_status_read(spe, 0, SPE_TAG_ALL, &status);
    printf("status %d 0x%x\n", read, status);
    send(7, 100);
    printf("there: %u, mapped: %u\n", receive(), ((unsigned char *)spe_ls_area_get(spe))[area + 101]); // CHECK-NEXT: there: 44, mapped: 47
    for (unsigned i = 0; i < 12; i++)
        spe_mfcio_putf(spe, area, buffer + 512, 16, i, 0, 0);
    spe_mfcio_tag_status_read(spe, 0xFFF, SPE_TAG_ALL, &status);
    printf("put 0x%x: %u\n", status, buffer[513]);                                    // CHECK-NEXT: put 0xfff: 3
    printf("tag 16: %s\n", error(spe_mfcio_get(spe, area, buffer, 16, 16, 0, 0)));    // CHECK-NEXT: spe_mfcio_get of 16 bytes, tag 16{{.*}} [mfc-proxy-tag]
                                                                                      // CHECK-NEXT: tag 16: EINVAL
    unit.events = SPE_EVENT_TAG_GROUP;
    spe_event_handler_register(events, &unit);
    spe_mfcio_get(spe, area, buffer, 16, 3, 0, 0);
    printf("tag event %d: ", spe_event_wait(events, got, 4, -1));                     // CHECK-NEXT: tag event 1: 4
    printf("%u\n", got[0].events);
    spe_event_handler_deregister(events, &unit);
    printf("synchronization %d: ", spe_mssync_start(spe));                            // CHECK-NEXT: synchronization 0: done
    while (spe_mssync_status(spe))
        ;
    printf("done\n");
    printf("heap above: %lx\n", (unsigned long)malloc(1 << 22) >> 32);                // CHECK-NEXT: heap above: 0

    // Loads and stores of mapped registers.
    volatile spe_spu_control_area_t *control = spe_ps_area_get(spe, SPE_CONTROL_AREA);
    volatile spe_sig_notify_1_area_t *signal = spe_ps_area_get(spe, SPE_SIG_NOTIFY_1_AREA);
    volatile spe_mssync_area_t *synchronization = spe_ps_area_get(spe, SPE_MSSYNC_AREA);
    synchronization->MFC_MSSync = 1;
    while (synchronization->MFC_MSSync & 1)
        ;
    printf("synchronized\n");                                                         // CHECK-NEXT: synchronized
    const unsigned long long address = (unsigned long)synchronization;
    send(9, 0);
    words[0] = (unsigned)(address >> 32), words[1] = (unsigned)address;
    spe_in_mbox_write(spe, words, 2, SPE_MBOX_ALL_BLOCKING);
    printf("by the SPE too: %u\n", receive());                                        // CHECK-NEXT: by the SPE too: 0
    printf("mailboxes 0x%x\n", control->SPU_Mbox_Stat);                               // CHECK-NEXT: mailboxes 0x400
    control->SPU_In_Mbox = 1u << 24 | 55;
    while (!(control->SPU_Mbox_Stat & 0xFF))
        ;
    printf("through registers %u\n", control->SPU_Out_Mbox);                          // CHECK-NEXT: through registers 55
    signal->SPU_Sig_Notify_1 = 6;
    send(3, 0);
    printf("signal %u\n", receive());                                                 // CHECK-NEXT: signal 6
    printf("destroy: %s\n", error(spe_context_destroy(spe)));                         // CHECK-NEXT: destroy: EAGAIN
    send(0, 3);
    pthread_join(thread, NULL);                                                       // CHECK-NEXT: stopped: 0 1 3
    printf("destroy %d\n", spe_context_destroy(spe));                                 // CHECK-NEXT: destroy 0
    printf("handler %d\n", spe_event_handler_destroy(events));                        // CHECK-NEXT: handler 0

    // A stopped program need not be finished.
    spe = spe_context_create(0, NULL);
    spe_program_load(spe, &api_spu);
    entry = SPE_DEFAULT_ENTRY;
    send(4, 0x11);
    printf("stop %d\n", spe_context_run(spe, &entry, 0, NULL, NULL, NULL));           // CHECK-NEXT: stop 17
    printf("destroy %d\n", spe_context_destroy(spe));                                 // CHECK-NEXT: destroy 0

    printf("%s ", error(spe_out_mbox_read(NULL, words, 1)));                          // CHECK-NEXT: ESRCH ESRCH EINVAL ESRCH
    printf("%s ", error(spe_context_destroy(NULL)));
    printf("%s ", error(spe_image_close(NULL)));
    printf("%s\n", error(spe_program_load(NULL, &api_spu)));
    printf("%d SPEs on %d nodes\n", spe_cpu_info_get(SPE_COUNT_USABLE_SPES, -1), spe_cpu_info_get(SPE_COUNT_PHYSICAL_CPU_NODES, -1)); // CHECK-NEXT: 16 SPEs on 2 nodes
    return 0;
}
