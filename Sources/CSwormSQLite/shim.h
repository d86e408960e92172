#ifndef CSWORMSQLITE_SHIM_H
#define CSWORMSQLITE_SHIM_H
#include <sqlite3.h>

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
