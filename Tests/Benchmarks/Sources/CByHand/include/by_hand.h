#ifndef BY_HAND_H
#define BY_HAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The work of the benches over PostgreSQL as it is written by hand in C, over libpq. All results are in binary form.
   A function that returns false has failed; by_hand_error then returns the reason. */

typedef struct by_hand by_hand;

by_hand *by_hand_open(const char *host, const char *port, const char *user, const char *database);
void by_hand_close(by_hand *hand);
const char *by_hand_error(const by_hand *hand);

/* Runs SQL without parameters, and ignores its rows. */
bool by_hand_run(by_hand *hand, const char *sql);

/* Runs a query of one row and one column of a bigint. */
bool by_hand_number(by_hand *hand, const char *sql, int64_t *number);

/* A text of its own memory; bytes is NULL for NULL. */
typedef struct {
    char *bytes;
    int32_t count;
} by_hand_text;

typedef struct {
    int64_t key, number, genre, plays;
    bool is_loved;
    double rating, created; /* seconds since 2001 */
    by_hand_text title, artist, album;
    uint8_t identifier[16];
    by_hand_text note;
} by_hand_track;

typedef struct {
    by_hand_track *rows;
    size_t count, capacity;
} by_hand_tracks;

void by_hand_free_tracks(by_hand_tracks *tracks);

/* Appends the rows of a query, which are received as a whole. */
bool by_hand_decode(by_hand *hand, const char *sql, by_hand_tracks *tracks);

/* Appends the rows of a query in a transaction of its own, by a cursor. The next portion is asked for before one is read. */
bool by_hand_decode_in_portions(by_hand *hand, const char *sql, int portion, by_hand_tracks *tracks);

typedef struct {
    /* The sum is one of whole numbers, so that it does not depend on the order of the rows. */
    int64_t count, bytes, sum;
} by_hand_walk;

/* Adds up the rows of a query, by a cursor. Each row is a track for a moment, with texts of its own memory. */
bool by_hand_for_each(by_hand *hand, const char *sql, int portion, by_hand_walk *walk);

/* Writes rows by COPY in its binary form, in a transaction of its own, with keys that the sequence of the table hands out at
   once. */
bool by_hand_copy(by_hand *hand, const char *table, const by_hand_tracks *tracks);

typedef struct {
    by_hand_text title;
    int64_t pages;
} by_hand_book;

typedef struct {
    int64_t key;
    by_hand_text name;
    by_hand_book *books;
    size_t count, capacity;
} by_hand_author;

typedef struct {
    by_hand_author *authors;
    size_t count;
} by_hand_shelf;

void by_hand_free_shelf(by_hand_shelf *shelf);

/* Reads all authors with their books, by one statement each. */
bool by_hand_read_shelf(by_hand *hand, const char *authors, const char *books, by_hand_shelf *shelf);

typedef struct {
    int64_t authors, books, bytes, pages, pairs;
} by_hand_shelf_walk;

by_hand_shelf_walk by_hand_walk_shelf(const by_hand_shelf *shelf);

typedef enum { BY_HAND_DONE, BY_HAND_CONFLICT, BY_HAND_FAILED } by_hand_outcome;

/* Prepares the statements of by_hand_change. */
bool by_hand_prepare_changes(by_hand *hand, const char *table);

/* Adds amounts to the balances of one or two accounts, in a transaction of three trips: BEGIN with a query of the rows, an
   update that compares their versions, and COMMIT. */
by_hand_outcome by_hand_change(by_hand *hand, const int64_t *numbers, const int64_t *amounts, int count);

#endif
