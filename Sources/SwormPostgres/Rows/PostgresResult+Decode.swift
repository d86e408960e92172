#if PostgreSQL
package import SwormRows

extension PostgresResult {
    /// Returns all rows as values of the plan's type.
    ///
    /// - Throws: `DecodingFailure` for a value that does not fit its property, and any error of a closure.
    package func decode<T>(_ plan: borrowing RowPlan<T>) throws -> [T] {
        var out: [T] = []
        try decode(plan, into: &out)
        return out
    }

    /// Appends all rows as values of the plan's type. After an error, the array holds the rows before it.
    package func decode<T>(_ plan: borrowing RowPlan<T>, into out: inout [T]) throws {
        guard rowCount > 0 else { return }
        try plan.layout.withReader(of: self) { reader in
            let room = rowCount
            if out.capacity - out.count < room { out.reserveCapacity(max(out.count * 2, out.count + room)) }
            // The rows are built in the array's own memory: no value is moved, and no generic code runs for a row.
            out.append(addingCapacity: room) { (span: inout OutputSpan<T>) in
                span.withUnsafeMutableBufferPointer { buffer, initialized in
                    if let start = buffer.baseAddress { initialized = reader.read(into: start, room: room) }
                }
            }
            if let failure = reader.filler.failure { throw failure }
        }
    }

    /// Reads all rows into memory for rows of the same layout. After an error, the memory holds the rows before it.
    package func decode(into memory: RowMemory) throws {
        guard rowCount > 0 else { return }
        try memory.layout.withReader(of: self) { reader in
            while !reader.isEnded {
                memory.append(limit: rowCount) { reader.read(into: $0, room: $1) }
                if let failure = reader.filler.failure { throw failure }
            }
        }
    }

    /// Calls the body with each row as a value of the plan's type. Only one value is in memory at a time, at the address
    /// that is passed to the body.
    ///
    /// Unsafe: the body must move the value out exactly once. The body gets an address instead of a value, because
    /// passing a value of an unknown type to a closure that knows the type would copy it.
    package func forEach<T>(_ plan: borrowing RowPlan<T>, body: (UnsafeMutablePointer<T>) throws -> Void) throws {
        guard rowCount > 0 else { return }
        let scratch = UnsafeMutablePointer<T>.allocate(capacity: 1)
        defer { scratch.deallocate() }
        try plan.layout.withReader(of: self) { reader in
            while !reader.isEnded {
                let count = reader.read(into: scratch, room: 1)
                if let failure = reader.filler.failure {
                    scratch.deinitialize(count: count)
                    throw failure
                }
                try body(scratch)
            }
        }
    }
}
#endif
