#ifdef BY_HAND_POSTGRES

#include "by_hand_internal.h"

#include <stdio.h>

bool by_hand_prepare_changes(by_hand *hand, const char *table) {
    char sql[512];
    snprintf(sql, sizeof sql, "SELECT \"_key\", \"_version\", \"number\", \"balance\" FROM %s WHERE \"number\" = ANY($1)",
             table);
    const Oid arrays[] = {1016, 1016, 1016};
    if (!by_hand_expect(hand, PQprepare(hand->connection, "by_hand_find", sql, 1, arrays), PGRES_COMMAND_OK)) return false;
    snprintf(sql, sizeof sql,
             "UPDATE %s AS a SET \"balance\" = r.b, \"_version\" = r.v + 1 FROM unnest($1, $2, $3) AS r(k, v, b) "
             "WHERE a.\"_key\" = r.k AND a.\"_version\" = r.v",
             table);
    return by_hand_expect(hand, PQprepare(hand->connection, "by_hand_change", sql, 3, arrays), PGRES_COMMAND_OK);
}

/* Ends the transaction after a failure. */
static by_hand_outcome given_up(by_hand *hand, bool is_conflict) {
    return by_hand_run(hand, "ROLLBACK") && is_conflict ? BY_HAND_CONFLICT : BY_HAND_FAILED;
}

static bool is_conflict(const PGresult *result) {
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    return state && (!strcmp(state, "40001") || !strcmp(state, "40P01"));
}

/* Begins a transaction and runs its query, in one trip. Returns NULL after a failure. */
static PGresult *begin_with_query(by_hand *hand, const char *const *values) {
    PGconn *connection = hand->connection;
    bool is_sent = PQenterPipelineMode(connection) &&
                   PQsendQueryParams(connection, "BEGIN ISOLATION LEVEL REPEATABLE READ", 0, NULL, NULL, NULL, NULL, 1) &&
                   PQsendQueryPrepared(connection, "by_hand_find", 1, values, NULL, NULL, 1) &&
                   PQpipelineSync(connection);
    if (!is_sent) return by_hand_failed(hand, NULL), NULL;
    /* Each result is followed by NULL, but not that of the sync. */
    PGresult *begun = PQgetResult(connection);
    PQclear(PQgetResult(connection));
    PGresult *found = PQgetResult(connection);
    PQclear(PQgetResult(connection));
    PGresult *end = PQgetResult(connection);
    bool fits = PQresultStatus(begun) == PGRES_COMMAND_OK && PQresultStatus(found) == PGRES_TUPLES_OK &&
                PQresultStatus(end) == PGRES_PIPELINE_SYNC && PQexitPipelineMode(connection);
    PQclear(begun);
    PQclear(end);
    if (fits) return found;
    return by_hand_failed(hand, found), NULL;
}

by_hand_outcome by_hand_change(by_hand *hand, const int64_t *numbers, const int64_t *amounts, int count) {
    PGconn *connection = hand->connection;
    if (count < 1 || count > 2) return by_hand_says(hand, "one or two accounts"), BY_HAND_FAILED;
    char keys[64], versions[64], balances[64];
    snprintf(keys, sizeof keys, count == 1 ? "{%lld}" : "{%lld,%lld}", (long long)numbers[0],
             (long long)numbers[count - 1]);
    const char *wanted[] = {keys};
    PGresult *found = begin_with_query(hand, wanted);
    if (!found) return BY_HAND_FAILED;
    if (PQntuples(found) != count) {
        PQclear(found);
        return by_hand_says(hand, "an account is missing"), given_up(hand, false);
    }
    long long key[2], version[2], balance[2];
    for (int row = 0; row < count; row++) {
        key[row] = by_hand_int64(PQgetvalue(found, row, 0));
        version[row] = by_hand_int64(PQgetvalue(found, row, 1));
        int64_t number = by_hand_int64(PQgetvalue(found, row, 2));
        balance[row] = by_hand_int64(PQgetvalue(found, row, 3)) + amounts[number == numbers[0] ? 0 : 1];
    }
    PQclear(found);
    const char *format = count == 1 ? "{%lld}" : "{%lld,%lld}";
    snprintf(keys, sizeof keys, format, key[0], key[count - 1]);
    snprintf(versions, sizeof versions, format, version[0], version[count - 1]);
    snprintf(balances, sizeof balances, format, balance[0], balance[count - 1]);
    const char *values[] = {keys, versions, balances};
    PGresult *changed = PQexecPrepared(connection, "by_hand_change", 3, values, NULL, NULL, 1);
    if (PQresultStatus(changed) != PGRES_COMMAND_OK) {
        bool conflicts = is_conflict(changed);
        by_hand_failed(hand, changed);
        return given_up(hand, conflicts);
    }
    bool are_all = atoi(PQcmdTuples(changed)) == count;
    PQclear(changed);
    if (!are_all) return given_up(hand, true);
    return by_hand_run(hand, "COMMIT") ? BY_HAND_DONE : BY_HAND_FAILED;
}

#endif
