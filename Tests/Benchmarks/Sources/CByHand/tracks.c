#ifdef BY_HAND_POSTGRES

#include "by_hand_internal.h"

#include <stdio.h>

enum { COLUMNS = 12 };

static const Oid types[COLUMNS] = {20, 20, 20, 20, 16, 701, 1184, 25, 25, 25, 2950, 25};

static void free_texts(by_hand_track *track) {
    free(track->title.bytes);
    free(track->artist.bytes);
    free(track->album.bytes);
    free(track->note.bytes);
}

void by_hand_free_tracks(by_hand_tracks *tracks) {
    for (size_t index = 0; index < tracks->count; index++) free_texts(&tracks->rows[index]);
    free(tracks->rows);
    *tracks = (by_hand_tracks){0};
}

static bool reserve(by_hand_tracks *tracks, size_t count) {
    if (count <= tracks->capacity) return true;
    size_t capacity = count > tracks->capacity * 2 ? count : tracks->capacity * 2;
    by_hand_track *rows = realloc(tracks->rows, capacity * sizeof *rows);
    if (!rows) return false;
    tracks->rows = rows;
    tracks->capacity = capacity;
    return true;
}

static bool has_columns(const PGresult *result) {
    if (PQnfields(result) != COLUMNS) return false;
    for (int column = 0; column < COLUMNS; column++) {
        if (PQftype(result, column) != types[column] || PQfformat(result, column) != 1) return false;
    }
    return true;
}

static inline bool take_track(const PGresult *result, int row, by_hand_track *track) {
    track->key = by_hand_int64(PQgetvalue(result, row, 0));
    track->number = by_hand_int64(PQgetvalue(result, row, 1));
    track->genre = by_hand_int64(PQgetvalue(result, row, 2));
    track->plays = by_hand_int64(PQgetvalue(result, row, 3));
    track->is_loved = *PQgetvalue(result, row, 4) != 0;
    track->rating = by_hand_double(PQgetvalue(result, row, 5));
    track->created = by_hand_seconds(PQgetvalue(result, row, 6));
    track->title.bytes = track->artist.bytes = track->album.bytes = track->note.bytes = NULL;
    bool fits = by_hand_take_text(result, row, 7, &track->title) && by_hand_take_text(result, row, 8, &track->artist) &&
                by_hand_take_text(result, row, 9, &track->album);
    memcpy(track->identifier, PQgetvalue(result, row, 10), sizeof track->identifier);
    if (fits && !PQgetisnull(result, row, 11)) fits = by_hand_take_text(result, row, 11, &track->note);
    if (!fits) free_texts(track);
    return fits;
}

static bool append(by_hand *hand, const PGresult *result, by_hand_tracks *tracks) {
    int count = PQntuples(result);
    if (!has_columns(result)) return by_hand_says(hand, "the columns are not those of a track");
    if (!reserve(tracks, tracks->count + (size_t)count)) return by_hand_says(hand, "out of memory");
    for (int row = 0; row < count; row++) {
        if (!take_track(result, row, &tracks->rows[tracks->count])) return by_hand_says(hand, "out of memory");
        tracks->count++;
    }
    return true;
}

bool by_hand_decode(by_hand *hand, const char *sql, by_hand_tracks *tracks) {
    PGresult *result = PQexecParams(hand->connection, sql, 0, NULL, NULL, NULL, NULL, 1);
    if (PQresultStatus(result) != PGRES_TUPLES_OK) return by_hand_failed(hand, result);
    bool fits = append(hand, result, tracks);
    PQclear(result);
    return fits;
}

/* Calls a function with each portion of the rows of a query. */
static bool in_portions(by_hand *hand, const char *sql, int portion,
                        bool (*take)(by_hand *, const PGresult *, void *), void *context) {
    PGconn *connection = hand->connection;
    size_t length = strlen(sql) + 64;
    char *declare = malloc(length);
    if (!declare) return by_hand_says(hand, "out of memory");
    snprintf(declare, length, "DECLARE by_hand NO SCROLL CURSOR FOR %s", sql);
    char fetch[64];
    snprintf(fetch, sizeof fetch, "FETCH FORWARD %d FROM by_hand", portion);
    bool fits = by_hand_run(hand, "BEGIN ISOLATION LEVEL REPEATABLE READ") && by_hand_run(hand, declare);
    free(declare);
    bool is_asked = fits && PQsendQueryParams(connection, fetch, 0, NULL, NULL, NULL, NULL, 1);
    while (is_asked) {
        PGresult *result = PQgetResult(connection);
        if (PQresultStatus(result) != PGRES_TUPLES_OK) return by_hand_failed(hand, result);
        PGresult *end;
        while ((end = PQgetResult(connection))) PQclear(end);
        is_asked = PQntuples(result) == portion && PQsendQueryParams(connection, fetch, 0, NULL, NULL, NULL, NULL, 1);
        fits = take(hand, result, context);
        PQclear(result);
        if (!fits) return false;
    }
    return fits && by_hand_run(hand, "COMMIT");
}

static bool append_portion(by_hand *hand, const PGresult *result, void *tracks) { return append(hand, result, tracks); }

bool by_hand_decode_in_portions(by_hand *hand, const char *sql, int portion, by_hand_tracks *tracks) {
    return in_portions(hand, sql, portion, append_portion, tracks);
}

static bool add_portion(by_hand *hand, const PGresult *result, void *context) {
    by_hand_walk *walk = context;
    if (!has_columns(result)) return by_hand_says(hand, "the columns are not those of a track");
    int count = PQntuples(result);
    for (int row = 0; row < count; row++) {
        by_hand_track track;
        if (!take_track(result, row, &track)) return by_hand_says(hand, "out of memory");
        walk->count++;
        walk->sum += (int64_t)(track.rating * 1000);
        walk->sum += (int64_t)track.created;
        walk->bytes += track.title.count + track.artist.count + track.album.count;
        if (track.note.bytes) walk->bytes += track.note.count;
        free_texts(&track);
    }
    return true;
}

bool by_hand_for_each(by_hand *hand, const char *sql, int portion, by_hand_walk *walk) {
    *walk = (by_hand_walk){0};
    return in_portions(hand, sql, portion, add_portion, walk);
}

#endif
