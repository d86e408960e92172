#ifndef CRASH_DISK_H
#define CRASH_DISK_H

/* The kinds of calls by which SQLite changes files. */
enum crash_disk_kind {
    CRASH_DISK_OPEN = 0,
    CRASH_DISK_WRITE = 1,
    CRASH_DISK_TRUNCATE = 2,
    CRASH_DISK_SYNC = 3,
    CRASH_DISK_DELETE = 4,
    CRASH_DISK_SYNC_FOLDER = 5
};

/* One call. The path is that of the file, also for the folder that it is in. */
typedef struct crash_disk_call {
    int kind;
    int created;       /* Whether opening makes the file. */
    long long file;    /* The number that opening has given to the file. */
    const char *path;
    long long offset;  /* The place of a write; the new size of a truncation. */
    const void *bytes;
    long long count;
} crash_disk_call;

/* What is called for each of them. */
typedef struct crash_disk_observer {
    void *context;
    /* Called before the call; a result other than 0 is that of the call, which is not made then. */
    int (*before)(void *context, const crash_disk_call *call);
    /* Called after the call has succeeded. For opening the result is the number of the file. */
    long long (*after)(void *context, const crash_disk_call *call);
} crash_disk_observer;

/* Makes a file system of SQLite's that does all by the standard one. NULL where that cannot be. */
void *crash_disk_register(const char *name, crash_disk_observer observer);

/* Removes one that no connection uses any more. */
void crash_disk_unregister(void *disk);
#endif
