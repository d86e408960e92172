/// Whether the work of a call is to stop, asked by what can take long in one step: searches in strings, and regular expressions.
package enum LongWork {
    /// A closure that says whether to stop.
    ///
    /// A value of its own: with a task-local value that is a function, optimized code of Swift 6.3 passes no metadata of its
    /// type, and traps.
    package struct Check: Sendable {
        package let isToStop: @Sendable () -> Bool

        package init(_ isToStop: @escaping @Sendable () -> Bool) { self.isToStop = isToStop }
    }

    /// Whether to stop; nil where nothing stops the call. Set by whoever has a deadline or can be cancelled.
    @TaskLocal package static var check: Check?

    /// The steps after which it is asked again.
    package static let stepsBetweenLooks = 1 << 16

    /// Whether the work that runs now is to stop. What it has found by then means nothing.
    package static var stops: Bool { check?.isToStop() ?? false }
}
