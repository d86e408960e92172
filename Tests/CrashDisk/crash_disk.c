#include "crash_disk.h"
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct disk {
    sqlite3_vfs vfs;
    sqlite3_vfs *real;
    crash_disk_observer observer;
    char *name;
} disk;

/* The real file is behind it. */
typedef struct file {
    sqlite3_file base;
    disk *disk;
    const char *path; /* NULL for files that nobody needs after a crash. */
    long long number;
    int syncs_folder; /* Whether the next synchronization is one of the folder, too, as the standard one does it. */
} file;

static sqlite3_file *real(sqlite3_file *base) { return (sqlite3_file *)((file *)base + 1); }

static crash_disk_call call(file *own, int kind) {
    crash_disk_call result;
    memset(&result, 0, sizeof result);
    result.kind = kind;
    result.file = own->number;
    result.path = own->path;
    return result;
}

static int before(disk *disk, const crash_disk_call *call) {
    return call->path ? disk->observer.before(disk->observer.context, call) : SQLITE_OK;
}

static long long after(disk *disk, const crash_disk_call *call) {
    return call->path ? disk->observer.after(disk->observer.context, call) : 0;
}

static int file_close(sqlite3_file *base) { return real(base)->pMethods ? real(base)->pMethods->xClose(real(base)) : 0; }

static int file_read(sqlite3_file *base, void *bytes, int count, sqlite3_int64 offset) {
    return real(base)->pMethods->xRead(real(base), bytes, count, offset);
}

static int file_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
    file *own = (file *)base;
    crash_disk_call this = call(own, CRASH_DISK_WRITE);
    this.offset = offset;
    this.bytes = bytes;
    this.count = count;
    int code = before(own->disk, &this);
    if (code == SQLITE_OK) code = real(base)->pMethods->xWrite(real(base), bytes, count, offset);
    if (code == SQLITE_OK) after(own->disk, &this);
    return code;
}

static int file_truncate(sqlite3_file *base, sqlite3_int64 size) {
    file *own = (file *)base;
    crash_disk_call this = call(own, CRASH_DISK_TRUNCATE);
    this.offset = size;
    int code = before(own->disk, &this);
    if (code == SQLITE_OK) code = real(base)->pMethods->xTruncate(real(base), size);
    if (code == SQLITE_OK) after(own->disk, &this);
    return code;
}

static int file_sync(sqlite3_file *base, int flags) {
    file *own = (file *)base;
    crash_disk_call this = call(own, CRASH_DISK_SYNC);
    int code = before(own->disk, &this);
    if (code == SQLITE_OK) code = real(base)->pMethods->xSync(real(base), flags);
    if (code != SQLITE_OK) return code;
    after(own->disk, &this);
    if (own->syncs_folder) {
        own->syncs_folder = 0;
        this.kind = CRASH_DISK_SYNC_FOLDER;
        after(own->disk, &this);
    }
    return SQLITE_OK;
}

static int file_size(sqlite3_file *base, sqlite3_int64 *size) {
    return real(base)->pMethods->xFileSize(real(base), size);
}

static int file_lock(sqlite3_file *base, int kind) { return real(base)->pMethods->xLock(real(base), kind); }
static int file_unlock(sqlite3_file *base, int kind) { return real(base)->pMethods->xUnlock(real(base), kind); }

static int file_check_lock(sqlite3_file *base, int *result) {
    return real(base)->pMethods->xCheckReservedLock(real(base), result);
}

static int file_control(sqlite3_file *base, int operation, void *argument) {
    return real(base)->pMethods->xFileControl(real(base), operation, argument);
}

static int file_sector_size(sqlite3_file *base) { return real(base)->pMethods->xSectorSize(real(base)); }

static int file_traits(sqlite3_file *base) { return real(base)->pMethods->xDeviceCharacteristics(real(base)); }

static int file_map(sqlite3_file *base, int region, int size, int extends, void volatile **memory) {
    return real(base)->pMethods->xShmMap(real(base), region, size, extends, memory);
}

static int file_lock_memory(sqlite3_file *base, int offset, int count, int flags) {
    return real(base)->pMethods->xShmLock(real(base), offset, count, flags);
}

static void file_barrier(sqlite3_file *base) { real(base)->pMethods->xShmBarrier(real(base)); }

static int file_unmap(sqlite3_file *base, int removes) {
    return real(base)->pMethods->xShmUnmap(real(base), removes);
}

/* The second version: files are not mapped into memory, so that every write is seen. */
static const sqlite3_io_methods methods = {
    2,           file_close,  file_read,       file_write,   file_truncate,    file_sync,   file_size,
    file_lock,   file_unlock, file_check_lock, file_control, file_sector_size, file_traits, file_map,
    file_lock_memory, file_barrier, file_unmap, 0, 0};

static int disk_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *base, int flags, int *result) {
    disk *disk = vfs->pAppData;
    file *own = (file *)base;
    memset(own, 0, sizeof *own);
    own->disk = disk;
    int lasting = SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL;
    if (flags & lasting) own->path = path;
    struct stat information;
    crash_disk_call this = call(own, CRASH_DISK_OPEN);
    this.created = path && flags & SQLITE_OPEN_CREATE && stat(path, &information) != 0;
    int code = before(disk, &this);
    if (code != SQLITE_OK) return code;
    code = disk->real->xOpen(disk->real, path, real(base), flags, result);
    if (code != SQLITE_OK) {
        if (real(base)->pMethods) base->pMethods = &methods;
        return code;
    }
    base->pMethods = &methods;
    own->number = after(disk, &this);
    own->syncs_folder = flags & SQLITE_OPEN_CREATE && !(flags & SQLITE_OPEN_MAIN_DB);
    return SQLITE_OK;
}

static int disk_delete(sqlite3_vfs *vfs, const char *path, int syncs_folder) {
    disk *disk = vfs->pAppData;
    crash_disk_call this;
    memset(&this, 0, sizeof this);
    this.kind = CRASH_DISK_DELETE;
    this.path = path;
    int code = before(disk, &this);
    if (code == SQLITE_OK) code = disk->real->xDelete(disk->real, path, syncs_folder);
    if (code != SQLITE_OK) return code;
    after(disk, &this);
    if (syncs_folder) {
        this.kind = CRASH_DISK_SYNC_FOLDER;
        after(disk, &this);
    }
    return SQLITE_OK;
}

static int disk_access(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
    disk *disk = vfs->pAppData;
    return disk->real->xAccess(disk->real, path, flags, result);
}

static int disk_full_path(sqlite3_vfs *vfs, const char *path, int count, char *result) {
    disk *disk = vfs->pAppData;
    return disk->real->xFullPathname(disk->real, path, count, result);
}

static int disk_random(sqlite3_vfs *vfs, int count, char *result) {
    disk *disk = vfs->pAppData;
    return disk->real->xRandomness(disk->real, count, result);
}

static int disk_sleep(sqlite3_vfs *vfs, int microseconds) {
    disk *disk = vfs->pAppData;
    return disk->real->xSleep(disk->real, microseconds);
}

static int disk_time(sqlite3_vfs *vfs, double *result) {
    disk *disk = vfs->pAppData;
    return disk->real->xCurrentTime(disk->real, result);
}

static int disk_time_64(sqlite3_vfs *vfs, sqlite3_int64 *result) {
    disk *disk = vfs->pAppData;
    return disk->real->xCurrentTimeInt64(disk->real, result);
}

static int disk_last_error(sqlite3_vfs *vfs, int count, char *result) {
    disk *disk = vfs->pAppData;
    return disk->real->xGetLastError(disk->real, count, result);
}

void *crash_disk_register(const char *name, crash_disk_observer observer) {
    sqlite3_vfs *real = sqlite3_vfs_find("unix");
    disk *own = calloc(1, sizeof *own);
    if (!real || !own || real->iVersion < 2) return NULL;
    own->real = real;
    own->observer = observer;
    own->name = strdup(name);
    own->vfs.iVersion = 2;
    own->vfs.szOsFile = (int)sizeof(file) + real->szOsFile;
    own->vfs.mxPathname = real->mxPathname;
    own->vfs.zName = own->name;
    own->vfs.pAppData = own;
    own->vfs.xOpen = disk_open;
    own->vfs.xDelete = disk_delete;
    own->vfs.xAccess = disk_access;
    own->vfs.xFullPathname = disk_full_path;
    own->vfs.xRandomness = disk_random;
    own->vfs.xSleep = disk_sleep;
    own->vfs.xCurrentTime = disk_time;
    own->vfs.xGetLastError = disk_last_error;
    own->vfs.xCurrentTimeInt64 = disk_time_64;
    return sqlite3_vfs_register(&own->vfs, 0) == SQLITE_OK ? own : NULL;
}

void crash_disk_unregister(void *disk_pointer) {
    disk *own = disk_pointer;
    if (!own) return;
    sqlite3_vfs_unregister(&own->vfs);
    free(own->name);
    free(own);
}
