#ifndef CSWORMSQLITE_SHIM_H
#define CSWORMSQLITE_SHIM_H
#include <sqlite3.h>
#include <time.h>
#include "../CSwormSystem/shim.h"

/* The wait of one connection for the locks of other connections. */
typedef struct sworm_waiting {
    sworm_interruption *interruption; /* May be NULL. */
    long long limit;                  /* The longest wait in nanoseconds. */
    long long start;
    unsigned int random;
    int frames;                       /* The frames of the log after the last commit; 0 when they were taken. */
} sworm_waiting;

/* SQLite's hook for commits into a write-ahead log: notes how many frames the log has. */
static inline int sworm_note_log(void *context, sqlite3 *connection, const char *name, int frames) {
    (void)connection;
    (void)name;
    *(int *)context = frames;
    return SQLITE_OK;
}

/* SQLite's progress handler: not 0 stops the statement. */
static inline int sworm_progress(void *context) {
    return sworm_interruption_stops((const sworm_interruption *)context);
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

#endif
