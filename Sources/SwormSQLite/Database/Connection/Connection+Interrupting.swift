import CSwormSQLite
import CSwormSystem
import SwormRows

extension Connection {
    /// How often a running statement looks at its token, in instructions of SQLite's machine: a few microseconds each time.
    private static var instructionsBetweenLooks: Int32 { 1000 }

    func installInterruption() {
        waiting.pointee.interruption = interruption?.memory
        if let interruption {
            sqlite3_progress_handler(pointer, Self.instructionsBetweenLooks, sworm_progress, interruption.memory)
        } else {
            sqlite3_progress_handler(pointer, 0, nil, nil)
        }
    }

    /// Makes room for what the wait for locks needs, and lets SQLite wait by it.
    static func makeWaiting(_ pointer: OpaquePointer, timeout: Double) -> UnsafeMutablePointer<sworm_waiting> {
        let waiting = UnsafeMutablePointer<sworm_waiting>.allocate(capacity: 1)
        waiting.initialize(to: sworm_waiting())
        waiting.pointee.limit = Int64(min(max(0, timeout), 1e9) * 1e9)
        waiting.pointee.random = UInt32.random(in: 0...UInt32.max)
        sqlite3_busy_handler(pointer, sworm_busy, waiting)
        return waiting
    }

    /// Runs a closure in which the token ends waits for locks, and stops no statement.
    func withoutLooks<R>(_ body: () throws -> R) rethrows -> R {
        guard interruption != nil else { return try body() }
        sqlite3_progress_handler(pointer, 0, nil, nil)
        defer { installInterruption() }
        return try body()
    }

    /// The longest wait for a lock of another connection, in seconds.
    package var busyTimeout: Double { Double(waiting.pointee.limit) / 1e9 }

    /// Runs a closure that no token stops, as what ends a transaction.
    package func uninterrupted<R>(_ body: () throws -> R) rethrows -> R {
        guard let token = interruption else { return try body() }
        interruption = nil
        defer { interruption = token }
        return try body()
    }
}
