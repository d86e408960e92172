#ifdef BY_HAND_POSTGRES

#include "by_hand_internal.h"

#include <stdio.h>

void by_hand_free_shelf(by_hand_shelf *shelf) {
    for (size_t index = 0; index < shelf->count; index++) {
        by_hand_author *author = &shelf->authors[index];
        for (size_t book = 0; book < author->count; book++) free(author->books[book].title.bytes);
        free(author->books);
        free(author->name.bytes);
    }
    free(shelf->authors);
    *shelf = (by_hand_shelf){0};
}

static bool take_authors(const PGresult *result, by_hand_shelf *shelf) {
    int count = PQntuples(result);
    shelf->authors = calloc((size_t)count + 1, sizeof *shelf->authors);
    if (!shelf->authors) return false;
    for (int row = 0; row < count; row++) {
        by_hand_author *author = &shelf->authors[row];
        author->key = by_hand_int64(PQgetvalue(result, row, 0));
        if (!by_hand_take_text(result, row, 1, &author->name)) return false;
        shelf->count++;
    }
    return true;
}

/* The authors are in the order of their keys. */
static by_hand_author *author(const by_hand_shelf *shelf, int64_t key) {
    size_t low = 0, high = shelf->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (shelf->authors[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < shelf->count && shelf->authors[low].key == key ? &shelf->authors[low] : NULL;
}

static bool take_books(const PGresult *result, by_hand_shelf *shelf) {
    int count = PQntuples(result);
    by_hand_author *owner = NULL;
    for (int row = 0; row < count; row++) {
        int64_t key = by_hand_int64(PQgetvalue(result, row, 0));
        if (!owner || owner->key != key) owner = author(shelf, key);
        if (!owner) return false;
        if (owner->count == owner->capacity) {
            size_t capacity = owner->capacity ? owner->capacity * 2 : 8;
            by_hand_book *books = realloc(owner->books, capacity * sizeof *books);
            if (!books) return false;
            owner->books = books;
            owner->capacity = capacity;
        }
        by_hand_book *book = &owner->books[owner->count];
        if (!by_hand_take_text(result, row, 1, &book->title)) return false;
        book->pages = by_hand_int64(PQgetvalue(result, row, 2));
        owner->count++;
    }
    return true;
}

bool by_hand_read_shelf(by_hand *hand, const char *authors, const char *books, by_hand_shelf *shelf) {
    PGresult *result = PQexecParams(hand->connection, authors, 0, NULL, NULL, NULL, NULL, 1);
    if (PQresultStatus(result) != PGRES_TUPLES_OK) return by_hand_failed(hand, result);
    bool fits = take_authors(result, shelf);
    PQclear(result);
    if (!fits) return by_hand_says(hand, "the authors cannot be read");

    /* The keys as an array in text form. */
    size_t length = 3 + shelf->count * 21, end = 0;
    char *keys = malloc(length);
    if (!keys) return by_hand_says(hand, "out of memory");
    for (size_t index = 0; index < shelf->count; index++)
        end += (size_t)snprintf(keys + end, length - end, "%c%lld", index ? ',' : '{', (long long)shelf->authors[index].key);
    snprintf(keys + end, length - end, shelf->count ? "}" : "{}");
    const char *values[] = {keys};
    const Oid types[] = {1016};
    result = PQexecParams(hand->connection, books, 1, types, values, NULL, NULL, 1);
    free(keys);
    if (PQresultStatus(result) != PGRES_TUPLES_OK) return by_hand_failed(hand, result);
    fits = take_books(result, shelf);
    PQclear(result);
    return fits || by_hand_says(hand, "the books cannot be read");
}

by_hand_shelf_walk by_hand_walk_shelf(const by_hand_shelf *shelf) {
    uint64_t books = 0, bytes = 0, pages = 0, pairs = 0;
    for (size_t index = 0; index < shelf->count; index++) {
        const by_hand_author *author = &shelf->authors[index];
        bytes += (uint64_t)author->name.count;
        uint64_t name = 0;
        for (int32_t byte = 0; byte < author->name.count; byte++) name = name * 31 + (uint8_t)author->name.bytes[byte];
        for (size_t book = 0; book < author->count; book++) {
            books++;
            bytes += (uint64_t)author->books[book].title.count;
            pages += (uint64_t)author->books[book].pages;
            pairs += name * (uint64_t)author->books[book].pages;
        }
    }
    return (by_hand_shelf_walk){(int64_t)shelf->count, (int64_t)books, (int64_t)bytes, (int64_t)pages, (int64_t)pairs};
}

#endif
