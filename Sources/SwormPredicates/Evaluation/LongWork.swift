/// Whether the work of a call is to stop, asked by what can take long in one step: searches in strings, and regular expressions.
package enum LongWork {
    /// Answers whether to stop.
    ///
    /// A struct: optimized code of Swift 6.3 cannot name the type of an optional closure that a task-local value is bound to,
    /// and crashes.
    package struct Look: Sendable {
        let isToStop: @Sendable () -> Bool

        package init(isToStop: @escaping @Sendable () -> Bool) { self.isToStop = isToStop }
    }

    /// What answers whether to stop; nil where nothing stops the call. Set by whoever has a deadline or can be cancelled.
    @TaskLocal package static var look: Look?

    /// The steps after which it is asked again.
    package static let stepsBetweenLooks = 1 << 16

    /// Whether the work that runs now is to stop. What it has found by then means nothing.
    package static var stops: Bool { look?.isToStop() ?? false }
}
