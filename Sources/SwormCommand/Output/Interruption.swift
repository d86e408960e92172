import SwormPredicates

/// The interruption of a command that runs until it is interrupted.
package enum Interruption {
    private static let handler = Locked<(@Sendable () -> Void)?>(nil)

    /// Interrupts the running command. Called when a signal arrives.
    ///
    /// - Returns: False if the command cannot be interrupted, so that the signal must end the process.
    package static func deliver() -> Bool {
        guard let handler = handler.withLock({ $0 }) else { return false }
        handler()
        return true
    }

    /// Runs a closure, during which an interruption calls another closure.
    static func handled<Result>(by handler: @escaping @Sendable () -> Void, _ body: () throws -> Result) rethrows
        -> Result
    {
        Self.handler.withLock { $0 = handler }
        defer { Self.handler.withLock { $0 = nil } }
        return try body()
    }
}
