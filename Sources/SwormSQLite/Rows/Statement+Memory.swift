import CSwormSQLite
package import SwormRows

extension Statement {
    /// Reads the statement to its end, or at most `limit` rows, into memory for rows of the same layout.
    ///
    /// After a limit, the next call continues; `isDone` is true if there are no more rows.
    ///
    /// - Throws: The errors of ``decode(_:limit:external:)``. The rows before the error remain in the memory.
    package mutating func decode(
        into memory: RowMemory, limit: Int? = nil, external: ExternalReader? = nil
    ) throws {
        if isDone { return }
        let end = limit.map { memory.count + $0 } ?? Int.max
        try memory.layout.withReader(of: pointer, external: external) { reader in
            while !reader.isEnded, memory.count < end {
                memory.append(limit: end - memory.count) { reader.read(into: $0, room: $1) }
                if let failure = reader.filler.failure { throw failure }
            }
            if reader.isEnded, reader.code != SQLITE_DONE { throw failure(reader.code) }
            isDone = reader.isEnded
        }
    }
}
