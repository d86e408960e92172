#ifndef CSWORMSQLITE_SHIM_H
#define CSWORMSQLITE_SHIM_H
#include <sqlite3.h>
#include <time.h>
#include "../CSwormSystem/shim.h"

/* The commits of this process into the log of one file. Any thread may read and change the fields. */
typedef struct sworm_commits {
    unsigned int running; /* The number of commits that are running. */
    unsigned int ended;   /* The number of commits that have written to the log. */
} sworm_commits;

/* The wait of one connection for the locks of other connections. */
typedef struct sworm_waiting {
    sworm_interruption *interruption; /* May be NULL. */
    long long limit;                  /* The longest wait in nanoseconds. */
    long long start;
    unsigned int random;
    int frames;                       /* The frames of the log after the last commit; 0 when they were taken. */
    sworm_commits *commits;           /* May be NULL. */
} sworm_waiting;

static inline void sworm_commits_change(sworm_commits *commits, int running, int ended) {
    if (ended) __atomic_add_fetch(&commits->ended, ended, __ATOMIC_SEQ_CST);
    if (running) __atomic_add_fetch(&commits->running, running, __ATOMIC_SEQ_CST);
}

static inline sworm_commits sworm_commits_now(const sworm_commits *commits) {
    sworm_commits now = {__atomic_load_n(&commits->running, __ATOMIC_SEQ_CST), __atomic_load_n(&commits->ended, __ATOMIC_SEQ_CST)};
    return now;
}

/* SQLite's hook for commits into a write-ahead log: counts the commit, and notes how many frames the log has. */
static inline int sworm_note_log(void *context, sqlite3 *connection, const char *name, int frames) {
    (void)connection;
    (void)name;
    sworm_waiting *waiting = (sworm_waiting *)context;
    waiting->frames = frames;
    if (waiting->commits) sworm_commits_change(waiting->commits, 0, 1);
    return SQLITE_OK;
}

/* The index of a write-ahead log, which all connections to the file share; NULL where there is none. The memory stays valid
   until the connection is closed. The format of its header is public: https://sqlite.org/walformat.html */
static inline const void *sworm_log_index(sqlite3 *connection) {
    sqlite3_file *file = 0;
    void volatile *index = 0;
    const int region_size = 32768;
    if (sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK) return 0;
    if (!file || !file->pMethods || file->pMethods->iVersion < 2 || !file->pMethods->xShmMap) return 0;
    if (file->pMethods->xShmMap(file, 0, region_size, 0, &index) != SQLITE_OK) return 0;
    return (const void *)index;
}

/* Reads the number of commits in the header of the index, which only grows until the index is built anew. 0 where the header
   is being written: a writer changes the second of its two copies before the first one. */
static inline int sworm_log_commits(const void *index, unsigned int *commits) {
    enum { words = 12, commits_word = 2 };
    const volatile unsigned int *header = (const volatile unsigned int *)index;
    unsigned int first[words];
    int is_whole = 1;
    for (int word = 0; word < words; word++) first[word] = header[word];
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    for (int word = 0; word < words; word++) is_whole = is_whole && header[words + word] == first[word];
    *commits = first[commits_word];
    return is_whole;
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
