import CSwormSQLite
import CSwormSystem
import SwormRows

extension Connection {
    /// The number of SQLite's virtual machine instructions after which a running statement checks its token. They take
    /// a few microseconds.
    private static var instructionsBetweenLooks: Int32 { 1000 }

    func installInterruption() {
        waiting.pointee.interruption = interruption?.memory
        if let interruption {
            sqlite3_progress_handler(pointer, Self.instructionsBetweenLooks, sworm_progress, interruption.memory)
        } else {
            sqlite3_progress_handler(pointer, 0, nil, nil)
        }
    }

    /// Allocates the state of the wait for locks, and installs the busy handler that uses it.
    static func makeWaiting(_ pointer: OpaquePointer, timeout: Double) -> UnsafeMutablePointer<sworm_waiting> {
        let waiting = UnsafeMutablePointer<sworm_waiting>.allocate(capacity: 1)
        waiting.initialize(to: sworm_waiting())
        waiting.pointee.limit = Int64(min(max(0, timeout), 1e9) * 1e9)
        waiting.pointee.random = UInt32.random(in: 0...UInt32.max)
        sqlite3_busy_handler(pointer, sworm_busy, waiting)
        return waiting
    }

    /// Runs a closure in which the token ends waits for locks, but does not stop statements.
    func withoutLooks<R>(_ body: () throws -> R) rethrows -> R {
        guard interruption != nil else { return try body() }
        sqlite3_progress_handler(pointer, 0, nil, nil)
        defer { installInterruption() }
        return try body()
    }

    /// The longest wait for a lock of another connection, in seconds.
    package var busyTimeout: Double { Double(waiting.pointee.limit) / 1e9 }

    /// Runs a closure that no token stops, such as the end of a transaction.
    package func uninterrupted<R>(_ body: () throws -> R) rethrows -> R {
        guard let token = interruption else { return try body() }
        interruption = nil
        defer { interruption = token }
        return try body()
    }
}
