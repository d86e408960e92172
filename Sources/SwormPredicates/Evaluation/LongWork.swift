/// The cancellation of operations that can take long in one step: searches in strings, and regular expressions.
package enum LongWork {
    /// A closure that returns whether to stop.
    ///
    /// It is wrapped in a struct, because for a task-local value that is a function, optimized code of Swift 6.3
    /// passes no metadata of its type, and traps.
    package struct Check: Sendable {
        let isToStop: @Sendable () -> Bool

        package init(_ isToStop: @escaping @Sendable () -> Bool) { self.isToStop = isToStop }
    }

    /// The check; nil if nothing stops the call. Callers that have a deadline or can be cancelled set it.
    @TaskLocal package static var check: Check?

    /// The number of steps between two checks.
    static let stepsBetweenLooks = 1 << 16

    /// Whether the current work has to stop. Its results so far are then meaningless.
    package static var stops: Bool { check?.isToStop() ?? false }
}
