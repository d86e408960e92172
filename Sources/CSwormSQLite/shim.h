#ifndef CSWORMSQLITE_SHIM_H
#define CSWORMSQLITE_SHIM_H
#include <sqlite3.h>
#include <time.h>

/* The wish to stop a connection's work. Any thread may set it, while another one works. */
typedef struct sworm_interruption {
    int reason;         /* 0 while the work may go on. */
    long long deadline; /* In nanoseconds of sworm_nanoseconds(); 0 for none. */
} sworm_interruption;

/* The wait of one connection for the locks of other connections. */
typedef struct sworm_waiting {
    sworm_interruption *interruption; /* May be NULL. */
    long long limit;                  /* The longest wait in nanoseconds. */
    long long start;
    unsigned int random;
    int frames;                       /* The frames of the log after the last commit; 0 when they were taken. */
} sworm_waiting;

/* A clock that never goes back. */
static inline long long sworm_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline void sworm_interruption_set(sworm_interruption *interruption, int reason) {
    __atomic_store_n(&interruption->reason, reason, __ATOMIC_RELEASE);
}

static inline int sworm_interruption_reason(const sworm_interruption *interruption) {
    return __atomic_load_n(&interruption->reason, __ATOMIC_ACQUIRE);
}

static inline void sworm_interruption_set_deadline(sworm_interruption *interruption, long long deadline) {
    __atomic_store_n(&interruption->deadline, deadline, __ATOMIC_RELEASE);
}

static inline int sworm_interruption_is_late(const sworm_interruption *interruption) {
    long long deadline = __atomic_load_n(&interruption->deadline, __ATOMIC_ACQUIRE);
    return deadline != 0 && sworm_nanoseconds() >= deadline;
}

/* SQLite's hook for commits into a write-ahead log: notes how many frames the log has. */
static inline int sworm_note_log(void *context, sqlite3 *connection, const char *name, int frames) {
    (void)connection;
    (void)name;
    *(int *)context = frames;
    return SQLITE_OK;
}

/* SQLite's progress handler: not 0 stops the statement. */
static inline int sworm_progress(void *context) {
    const sworm_interruption *interruption = (const sworm_interruption *)context;
    return sworm_interruption_reason(interruption) != 0 || sworm_interruption_is_late(interruption);
}

/* SQLite's busy handler: 0 gives up. The pauses stay short, or a lock that is free for moments only is never seen free. They
   differ, so that two that wait do not wake together. */
static inline int sworm_busy(void *context, int count) {
    sworm_waiting *waiting = (sworm_waiting *)context;
    long long now = sworm_nanoseconds();
    if (count == 0) waiting->start = now;
    if (now - waiting->start >= waiting->limit) return 0;
    if (waiting->interruption && sworm_progress(waiting->interruption)) return 0;
    waiting->random = waiting->random * 1664525u + 1013904223u;
    long microseconds = count < 3 ? 50L << count : 300 + (long)(waiting->random >> 22);
    struct timespec pause = {0, microseconds * 1000};
    nanosleep(&pause, 0);
    return 1;
}

#if defined(__linux__)
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Gives mapped memory another size, at another address if need be. NULL where there is no memory. Swift cannot call mremap
   itself: it takes a variable number of arguments. */
static inline void *sworm_remap(void *memory, size_t size, size_t new_size) {
    const int may_move = 1;
    long moved = syscall(SYS_mremap, memory, size, new_size, may_move);
    return moved == -1 ? NULL : (void *)moved;
}
#endif
#endif
