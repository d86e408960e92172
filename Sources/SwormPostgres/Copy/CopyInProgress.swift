#if PostgreSQL
import CSwormPQ

/// A COPY into a table whose rows are sent while they are collected, in its binary form.
///
/// Until it has ended, the connection cannot run a statement.
package struct CopyInProgress {
    fileprivate let statement: SQLStatement
    fileprivate let start: ContinuousClock.Instant?
}

extension PostgresConnection {
    /// Begins a COPY into a table, which ``endCopyIn(_:)`` or ``abandonCopyIn(_:)`` must end.
    ///
    /// - Parameter table: The name of the table and the columns as SQL, such as `"shop"."Book" ("title", "year")`. The types
    ///   of the columns must be those with which the rows are written.
    package func beginCopyIn(into table: String) throws -> CopyInProgress {
        let statement = SQLStatement.command("COPY \(table) FROM STDIN (FORMAT binary)")
        let copy = CopyInProgress(statement: statement, start: try beginCopy(statement))
        beginStatement(statement.sql)
        do {
            try sendCopy(statement, expecting: PGRES_COPY_IN)
        } catch {
            endStatement()
            throw error
        }
        isReceivingRows = true
        do {
            try CopyWriter.header.withUnsafeBytes { try put($0) }
        } catch {
            abandonCopyIn(copy)
            throw error
        }
        return copy
    }

    /// Sends a part of the bytes of collected rows, which follows the parts before it.
    package func send(_ bytes: UnsafeRawBufferPointer, by copy: CopyInProgress) throws {
        guard isReceivingRows else { throw ServerError(.misuse, "the COPY has ended", sql: copy.statement.sql) }
        try put(bytes)
    }

    /// Ends a COPY, and returns the number of rows that the server has written.
    ///
    /// - Throws: The server's error. No row was written then, and the transaction has failed.
    @discardableResult
    package func endCopyIn(_ copy: CopyInProgress) throws -> Int {
        guard isReceivingRows else { throw ServerError(.misuse, "the COPY has ended", sql: copy.statement.sql) }
        defer { endStatement() }
        isReceivingRows = false
        do {
            try withUnsafeBytes(of: CopyWriter.end.bigEndian) { try put($0) }
            let count = try endCopy()
            report(Command(copy.statement, index: 0), rows: 0, since: copy.start)
            return count
        } catch {
            abandonCopy()
            throw error
        }
    }

    /// Ends a COPY without writing any row, unless it has ended. The transaction has failed then.
    package func abandonCopyIn(_ copy: CopyInProgress) {
        guard isReceivingRows else { return }
        defer { endStatement() }
        isReceivingRows = false
        abandonCopy()
    }
}

extension Parameters {
    /// Appends a column of some collected rows as an array, for `unnest`. Returns false if it is too long for a message, or if
    /// the driver knows no arrays of its type.
    ///
    /// - Parameters:
    ///   - offsets: The offsets of all fields; see ``CopyWriter/fieldOffsets``.
    ///   - indices: The indices of the rows.
    package func append(
        _ column: Int, of rows: borrowing CopyWriter, offsets: [Int], at indices: [Int]
    ) -> Bool {
        let bytes = rows.bytes
        let width = rows.types.count
        // Fields have the form of an array's elements.
        return append(arrayOf: rows.types[column], count: indices.count) { buffer in
            for index in indices {
                let start = offsets[index * width + column]
                let end = start + CopyWriter.length(ofField: start, in: bytes)
                buffer.put(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
            }
            return true
        }
    }
}
#endif
