#ifndef BY_HAND_INTERNAL_H
#define BY_HAND_INTERNAL_H

#include <libpq-fe.h>
#include <stdlib.h>
#include <string.h>

#include "by_hand.h"

struct by_hand {
    PGconn *connection;
    char error[512];
};

/* Notes the message of a result, or of the connection, and clears the result. Returns false. */
bool by_hand_failed(by_hand *hand, PGresult *result);

/* Notes a message. Returns false. */
bool by_hand_says(by_hand *hand, const char *message);

/* Clears a result, and returns whether it has the status. */
bool by_hand_expect(by_hand *hand, PGresult *result, ExecStatusType status);

static inline int16_t by_hand_int16(const char *bytes) {
    uint16_t value;
    memcpy(&value, bytes, sizeof value);
    return (int16_t)__builtin_bswap16(value);
}

static inline int32_t by_hand_int32(const char *bytes) {
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return (int32_t)__builtin_bswap32(value);
}

static inline int64_t by_hand_int64(const char *bytes) {
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return (int64_t)__builtin_bswap64(value);
}

static inline double by_hand_double(const char *bytes) {
    int64_t pattern = by_hand_int64(bytes);
    double value;
    memcpy(&value, &pattern, sizeof value);
    return value;
}

/* The microseconds from 2000, where the server begins, to 2001. */
#define BY_HAND_SHIFT INT64_C(31622400000000)

static inline double by_hand_seconds(const char *bytes) { return (double)(by_hand_int64(bytes) - BY_HAND_SHIFT) / 1e6; }

/* Copies a text. */
static inline bool by_hand_take_text(const PGresult *result, int row, int column, by_hand_text *text) {
    int count = PQgetlength(result, row, column);
    char *bytes = malloc(count > 0 ? (size_t)count : 1);
    if (!bytes) return false;
    memcpy(bytes, PQgetvalue(result, row, column), (size_t)count);
    text->bytes = bytes;
    text->count = count;
    return true;
}

#endif
