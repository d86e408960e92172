#ifdef BY_HAND_POSTGRES

#include "by_hand_internal.h"

#include <stdio.h>

by_hand *by_hand_open(const char *host, const char *port, const char *user, const char *database) {
    by_hand *hand = calloc(1, sizeof *hand);
    if (!hand) return NULL;
    const char *names[] = {"host", "port", "user", "dbname", NULL};
    const char *values[] = {host, port, user, database, NULL};
    hand->connection = PQconnectdbParams(names, values, 0);
    if (PQstatus(hand->connection) != CONNECTION_OK) by_hand_says(hand, PQerrorMessage(hand->connection));
    return hand;
}

void by_hand_close(by_hand *hand) {
    if (!hand) return;
    PQfinish(hand->connection);
    free(hand);
}

const char *by_hand_error(const by_hand *hand) { return hand ? hand->error : "out of memory"; }

bool by_hand_says(by_hand *hand, const char *message) {
    snprintf(hand->error, sizeof hand->error, "%s", message);
    return false;
}

bool by_hand_failed(by_hand *hand, PGresult *result) {
    const char *message = PQresultErrorMessage(result);
    by_hand_says(hand, message && *message ? message : PQerrorMessage(hand->connection));
    PQclear(result);
    return false;
}

bool by_hand_expect(by_hand *hand, PGresult *result, ExecStatusType status) {
    if (PQresultStatus(result) != status) return by_hand_failed(hand, result);
    PQclear(result);
    return true;
}

bool by_hand_run(by_hand *hand, const char *sql) {
    PGresult *result = PQexec(hand->connection, sql);
    ExecStatusType status = PQresultStatus(result);
    return by_hand_expect(hand, result, status == PGRES_TUPLES_OK ? status : PGRES_COMMAND_OK);
}

bool by_hand_number(by_hand *hand, const char *sql, int64_t *number) {
    PGresult *result = PQexecParams(hand->connection, sql, 0, NULL, NULL, NULL, NULL, 1);
    if (PQresultStatus(result) != PGRES_TUPLES_OK) return by_hand_failed(hand, result);
    bool fits = PQntuples(result) == 1 && PQnfields(result) == 1 && PQgetlength(result, 0, 0) == 8;
    if (fits) *number = by_hand_int64(PQgetvalue(result, 0, 0));
    PQclear(result);
    return fits || by_hand_says(hand, "the query has no bigint");
}

#endif
