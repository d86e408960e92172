#if PostgreSQL
import Foundation

/// Clients of PostgreSQL for Python, in a process that runs the requested work and returns its duration.
final class PostgresPeers {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var rest = Data()

    /// Starts the process.
    ///
    /// - Parameters:
    ///   - python: A Python that has asyncpg and psycopg.
    ///   - content: The program, which gets the address of the server and reads orders.
    init(python: String, server: PostgresServer, running content: String = PostgresPeers.reading) throws {
        let script = server.folder.appending(path: "peers.py")
        try Data(content.utf8).write(to: script)
        process.executableURL = URL(fileURLWithPath: python)
        process.arguments = [script.path, server.folder.path, "\(server.port)"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Lets a client do some work, and returns its milliseconds.
    ///
    /// - Parameters:
    ///   - order: The work, and its further words.
    ///   - count: The number of rows that it must have.
    func milliseconds(_ order: String..., rows count: Int) throws -> Double {
        try input.fileHandleForWriting.write(contentsOf: Data("\(order.joined(separator: " "))\n".utf8))
        while !rest.contains(UInt8(ascii: "\n")) {
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw Failure("The clients for Python have ended.") }
            rest += more
        }
        let line = rest.prefix { $0 != UInt8(ascii: "\n") }
        rest = Data(rest.dropFirst(line.count + 1))
        let words = String(decoding: line, as: UTF8.self).split(separator: " ")
        guard words.count == 2, let milliseconds = Double(words[0]), Int(words[1]) == count else {
            throw Failure("The clients for Python said: \(String(decoding: line, as: UTF8.self))")
        }
        return milliseconds
    }

    /// `fetch` makes records of all rows. `copy` writes the rows of the last fetch by asyncpg; each client runs its work in
    /// the transaction that it would use for it.
    static let reading = """
        import asyncio, sys, time
        import asyncpg, psycopg

        host, port = sys.argv[1:]
        columns = ["_key", "number", "genre", "plays", "isLoved", "rating", "created", "title", "artist", "album",
                   "identifier", "note"]
        names = ", ".join(f'"{name}"' for name in columns)

        async def main():
            first = await asyncpg.connect(host=host, port=int(port), user="postgres", database="postgres")
            second = psycopg.connect(f"host={host} port={port} user=postgres dbname=postgres", autocommit=True)
            if psycopg.pq.__impl__ == "python": raise SystemExit("psycopg is not compiled")
            records = []
            for line in sys.stdin:
                work, schema = line.split()
                select = f'SELECT {names} FROM "{schema}"."Track" t0'
                if work == "asyncpg": records = []
                start = time.perf_counter()
                if work == "asyncpg":
                    records = await first.fetch(select)
                    count = len(records)
                elif work == "psycopg":
                    with second.cursor(binary=True) as cursor:
                        count = len(cursor.execute(select).fetchall())
                else:
                    async with first.transaction():
                        status = await first.copy_records_to_table(
                            "Track", schema_name=schema, columns=columns, records=records)
                    count = int(status.split()[-1])
                print((time.perf_counter() - start) * 1000, count, flush=True)

        asyncio.run(main())
        """
}
#endif
