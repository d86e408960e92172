/// Whether the work of a call is to stop, asked by what can take long in one step: searches in strings, and regular expressions.
package enum LongWork {
    /// Whether to stop; nil where nothing stops the call. Set by whoever has a deadline or can be cancelled.
    @TaskLocal package static var isToStop: (@Sendable () -> Bool)?

    /// The steps after which it is asked again.
    package static let stepsBetweenLooks = 1 << 16

    /// Whether the work that runs now is to stop. What it has found by then means nothing.
    package static var stops: Bool { isToStop?() ?? false }
}
