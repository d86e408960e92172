#ifndef CSWORMSYSTEM_SHIM_H
#define CSWORMSYSTEM_SHIM_H
#include <stddef.h>
#include <time.h>

/* The wish to stop a connection's work. Any thread may set it, while another one works. */
typedef struct sworm_interruption {
    int reason;         /* 0 while the work may go on. */
    long long deadline; /* In nanoseconds of sworm_nanoseconds(); 0 for none. */
} sworm_interruption;

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

/* Whether the work is to stop, for any reason or because of its deadline. */
static inline int sworm_interruption_stops(const sworm_interruption *interruption) {
    return sworm_interruption_reason(interruption) != 0 || sworm_interruption_is_late(interruption);
}

/* A function of Swift's runtime: memory for an object with its header, without the values of its properties. */
extern void *_Nonnull swift_allocObject(const void *_Nonnull class_metadata, size_t size, size_t alignment_mask);

/* A pointer that any thread reads, and that is exchanged rarely. */
static inline void sworm_pointer_set(void **pointer, void *value) {
    __atomic_store_n(pointer, value, __ATOMIC_RELEASE);
}

static inline void *sworm_pointer(void *const *pointer) { return __atomic_load_n(pointer, __ATOMIC_ACQUIRE); }

#if defined(__linux__)
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
