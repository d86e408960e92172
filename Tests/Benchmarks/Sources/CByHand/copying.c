#ifdef BY_HAND_POSTGRES

#include "by_hand_internal.h"

#include <math.h>
#include <stdio.h>

/* The bytes after which rows are sent, and the room behind them for one row. */
enum { PORTION = 64 * 1024, ROOM = 16 * 1024 };

typedef struct {
    by_hand *hand;
    size_t count;
    char bytes[PORTION + ROOM];
} buffer;

static inline void put16(buffer *buffer, int16_t value) {
    uint16_t swapped = __builtin_bswap16((uint16_t)value);
    memcpy(buffer->bytes + buffer->count, &swapped, sizeof swapped);
    buffer->count += sizeof swapped;
}

static inline void put32(buffer *buffer, int32_t value) {
    uint32_t swapped = __builtin_bswap32((uint32_t)value);
    memcpy(buffer->bytes + buffer->count, &swapped, sizeof swapped);
    buffer->count += sizeof swapped;
}

static inline void put64(buffer *buffer, int64_t value) {
    uint64_t swapped = __builtin_bswap64((uint64_t)value);
    put32(buffer, 8);
    memcpy(buffer->bytes + buffer->count, &swapped, sizeof swapped);
    buffer->count += sizeof swapped;
}

static inline void put_double(buffer *buffer, double value) {
    int64_t pattern;
    memcpy(&pattern, &value, sizeof pattern);
    put64(buffer, pattern);
}

static inline void put_bytes(buffer *buffer, const void *bytes, int32_t count) {
    put32(buffer, count);
    memcpy(buffer->bytes + buffer->count, bytes, (size_t)count);
    buffer->count += (size_t)count;
}

static bool flush(buffer *buffer) {
    if (PQputCopyData(buffer->hand->connection, buffer->bytes, (int)buffer->count) != 1)
        return by_hand_failed(buffer->hand, NULL);
    buffer->count = 0;
    return true;
}

static bool put_track(buffer *buffer, const by_hand_track *track, int64_t key) {
    long texts = (long)track->title.count + track->artist.count + track->album.count + track->note.count;
    if (texts > ROOM - 256) return by_hand_says(buffer->hand, "the texts of a row are too long");
    put16(buffer, 12);
    put64(buffer, key);
    put64(buffer, track->number);
    put64(buffer, track->genre);
    put64(buffer, track->plays);
    put32(buffer, 1);
    buffer->bytes[buffer->count++] = track->is_loved;
    put_double(buffer, track->rating);
    put64(buffer, llround(track->created * 1e6) + BY_HAND_SHIFT);
    put_bytes(buffer, track->title.bytes, track->title.count);
    put_bytes(buffer, track->artist.bytes, track->artist.count);
    put_bytes(buffer, track->album.bytes, track->album.count);
    put_bytes(buffer, track->identifier, sizeof track->identifier);
    if (track->note.bytes)
        put_bytes(buffer, track->note.bytes, track->note.count);
    else
        put32(buffer, -1);
    return buffer->count < PORTION || flush(buffer);
}

static bool put_tracks(by_hand *hand, const by_hand_tracks *tracks, int64_t first_key) {
    buffer *buffer = malloc(sizeof *buffer);
    if (!buffer) return by_hand_says(hand, "out of memory");
    buffer->hand = hand;
    static const char header[19] = "PGCOPY\n\377\r\n";
    memcpy(buffer->bytes, header, sizeof header);
    buffer->count = sizeof header;
    bool fits = true;
    for (size_t index = 0; fits && index < tracks->count; index++)
        fits = put_track(buffer, &tracks->rows[index], first_key + (int64_t)index);
    put16(buffer, -1);
    fits = fits && flush(buffer);
    free(buffer);
    return fits;
}

bool by_hand_copy(by_hand *hand, const char *table, const by_hand_tracks *tracks) {
    PGconn *connection = hand->connection;
    char sql[512];
    int64_t last;
    if (!by_hand_run(hand, "BEGIN")) return false;
    snprintf(sql, sizeof sql,
             "SELECT setval(name, nextval(name) + %zu) FROM (SELECT pg_get_serial_sequence('%s', '_key') AS name) AS s",
             tracks->count, table);
    if (!by_hand_number(hand, sql, &last)) return false;
    snprintf(sql, sizeof sql,
             "COPY %s (\"_key\", \"number\", \"genre\", \"plays\", \"isLoved\", \"rating\", \"created\", \"title\", "
             "\"artist\", \"album\", \"identifier\", \"note\") FROM STDIN (FORMAT binary)",
             table);
    if (!by_hand_expect(hand, PQexec(connection, sql), PGRES_COPY_IN)) return false;
    if (!put_tracks(hand, tracks, last - (int64_t)tracks->count)) return false;
    if (PQputCopyEnd(connection, NULL) != 1) return by_hand_failed(hand, NULL);
    if (!by_hand_expect(hand, PQgetResult(connection), PGRES_COMMAND_OK)) return false;
    PGresult *end;
    while ((end = PQgetResult(connection))) PQclear(end);
    return by_hand_run(hand, "COMMIT");
}

#endif
