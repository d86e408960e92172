import CSwormSQLite
package import Foundation
package import SwormRows

extension Statement {
    /// A closure that reads a binary column whose data is not inline, from the column's bytes including the marker.
    package typealias ExternalReader = (UnsafeRawBufferPointer) throws -> Data

    /// Reads the statement to its end, or at most `limit` rows, into values of the plan's type.
    ///
    /// Throws `DecodingFailure` for a value that does not fit its property, any error of a closure, and `SQLiteError` for
    /// SQLite's errors. After a limit, the next call continues; `isDone` is true if there are no more rows.
    package mutating func decode<T>(
        _ plan: borrowing RowPlan<T>, limit: Int? = nil, external: ExternalReader? = nil
    ) throws -> [T] {
        if isDone { return [] }
        let limit = limit ?? Int.max
        var out: [T] = []
        try plan.layout.withReader(of: pointer, external: external) { reader in
            var chunk = 8
            var count = 0
            while !reader.isEnded, count < limit {
                let room = min(chunk, limit - count)
                if out.capacity - count < room { out.reserveCapacity(max(count * 2, count + room)) }
                // The rows are built in the array's own memory: no value is moved, and no generic code runs for a row.
                out.append(addingCapacity: room) { (span: inout OutputSpan<T>) in
                    span.withUnsafeMutableBufferPointer { buffer, initialized in
                        if let start = buffer.baseAddress { initialized = reader.read(into: start, room: room) }
                    }
                }
                if let failure = reader.filler.failure { throw failure }
                count = out.count
                chunk = min(chunk * 2, 512)
            }
            if reader.isEnded, reader.code != SQLITE_DONE { throw failure(reader.code) }
            isDone = reader.isEnded
        }
        return out
    }

    /// Calls the body with each row, or at most `limit` of them, as a value of the plan's type. Only one value is in
    /// memory at a time, at the address that is passed to the body.
    ///
    /// Unsafe: the body must move the value out exactly once. The body gets an address instead of a value, because
    /// passing a value of an unknown type to a closure that knows the type would copy it.
    ///
    /// - Parameter place: The memory for the values; nil to allocate it.
    /// - Throws: The errors of `decode`, and any error of the body, which stops the reading.
    package mutating func forEach<T>(
        _ plan: borrowing RowPlan<T>, limit: Int? = nil, external: ExternalReader? = nil,
        at place: UnsafeMutablePointer<T>? = nil, _ body: (UnsafeMutablePointer<T>) throws -> Void
    ) throws {
        if isDone { return }
        let limit = limit ?? Int.max
        let scratch = place ?? UnsafeMutablePointer<T>.allocate(capacity: 1)
        defer { if place == nil { scratch.deallocate() } }
        try plan.layout.withReader(of: pointer, external: external) { reader in
            var rows = 0
            while rows < limit {
                rows += 1
                let count = reader.read(into: scratch, room: 1)
                if let failure = reader.filler.failure {
                    scratch.deinitialize(count: count)
                    throw failure
                }
                if reader.isEnded { break }
                try body(scratch)
            }
            if reader.isEnded, reader.code != SQLITE_DONE { throw failure(reader.code) }
            isDone = reader.isEnded
        }
    }
}
