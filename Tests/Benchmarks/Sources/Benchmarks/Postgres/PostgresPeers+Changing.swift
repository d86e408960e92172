#if PostgreSQL
extension PostgresPeers {
    /// Returns a program whose processes change accounts by transactions that are written by hand with psycopg: they read in
    /// one snapshot, write the rows whose versions are those that were read, and begin again after a conflict.
    ///
    /// - Parameters:
    ///   - accounts: The number of accounts.
    ///   - processes: The number of processes, each with a connection. Each order is shared among them.
    static func changing(_ accounts: Int, by processes: Int) -> String {
        """
        import multiprocessing, random, sys, time
        import psycopg

        host, port = sys.argv[1:]

        class Conflict(Exception):
            pass

        def change(cursor, table, numbers, amounts):
            cursor.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
            rows = cursor.execute(
                f'SELECT "_key", "_version", "number", "balance" FROM {table} WHERE "number" = ANY(%s)', (numbers,)
            ).fetchall()
            rows.sort()
            count = cursor.execute(
                f'''UPDATE {table} AS a SET "balance" = r.b, "_version" = r.v + 1
                    FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[]) AS r(k, v, b)
                    WHERE a."_key" = r.k AND a."_version" = r.v''',
                ([row[0] for row in rows], [row[1] for row in rows],
                 [row[3] + amounts[numbers.index(row[2])] for row in rows])).rowcount
            if count != len(numbers): raise Conflict()
            cursor.execute("COMMIT")

        def work(seed, orders):
            numbers = random.Random(seed)
            connection = psycopg.connect(
                f"host={host} port={port} user=postgres dbname=postgres", autocommit=True, prepare_threshold=1)
            if psycopg.pq.__impl__ == "python": raise SystemExit("psycopg is not compiled")
            cursor = connection.cursor(binary=True)
            while True:
                order = orders.recv()
                if order is None: return
                kind, schema, count = order
                table = f'"{schema}"."Account"'
                for _ in range(count):
                    chosen = sorted(numbers.sample(range(\(accounts)), 2 if kind == "transfer" else 1))
                    while True:
                        try:
                            change(cursor, table, chosen, [-1, 1] if kind == "transfer" else [1])
                            break
                        except (Conflict, psycopg.errors.SerializationFailure, psycopg.errors.DeadlockDetected):
                            cursor.execute("ROLLBACK")
                orders.send(count)

        if __name__ == "__main__":
            context = multiprocessing.get_context("fork")
            pipes = []
            for seed in range(\(processes)):
                mine, theirs = context.Pipe()
                context.Process(target=work, args=(seed, theirs), daemon=True).start()
                pipes.append(mine)
            for line in sys.stdin:
                kind, schema, count = line.split()
                start = time.perf_counter()
                for pipe in pipes: pipe.send((kind, schema, int(count) // len(pipes)))
                done = sum(pipe.recv() for pipe in pipes)
                print((time.perf_counter() - start) * 1000, done, flush=True)
        """
    }
}
#endif
