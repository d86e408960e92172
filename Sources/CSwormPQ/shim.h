#ifndef CSWORMPQ_SHIM_H
#define CSWORMPQ_SHIM_H
#include <libpq-fe.h>

/* A request to stop the running statement of a connection, which another thread sends. From version 17 on it is as encrypted
   as the connection is. */
#ifdef LIBPQ_HAS_ASYNC_CANCEL
typedef PGcancelConn sworm_pq_cancel;

static inline sworm_pq_cancel *sworm_pq_cancel_create(PGconn *connection) { return PQcancelCreate(connection); }

/* Not 0 if the server received the request. Blocks; one thread at a time may call it. */
static inline int sworm_pq_cancel_send(sworm_pq_cancel *cancel) {
    int is_sent = PQcancelBlocking(cancel);
    PQcancelReset(cancel);
    return is_sent;
}

static inline void sworm_pq_cancel_free(sworm_pq_cancel *cancel) { PQcancelFinish(cancel); }
#else
typedef PGcancel sworm_pq_cancel;

static inline sworm_pq_cancel *sworm_pq_cancel_create(PGconn *connection) { return PQgetCancel(connection); }

static inline int sworm_pq_cancel_send(sworm_pq_cancel *cancel) {
    char error[256];
    return PQcancel(cancel, error, sizeof error);
}

static inline void sworm_pq_cancel_free(sworm_pq_cancel *cancel) { PQfreeCancel(cancel); }
#endif

/* Lets the rows of the next result arrive in parts: of a number of rows from version 17 on, of one row before. */
static inline int sworm_pq_receive_in_parts(PGconn *connection, int rows) {
#ifdef LIBPQ_HAS_CHUNK_MODE
    return PQsetChunkedRowsMode(connection, rows);
#else
    (void)rows;
    return PQsetSingleRowMode(connection);
#endif
}

/* Whether a result is such a part, and not the end of the rows. */
static inline int sworm_pq_is_part(const PGresult *result) {
    ExecStatusType status = PQresultStatus(result);
#ifdef LIBPQ_HAS_CHUNK_MODE
    if (status == PGRES_TUPLES_CHUNK) return 1;
#endif
    return status == PGRES_SINGLE_TUPLE;
}

#endif
