extension LiveValues {
    /// Returns the values at intervals of at least the given duration, so that a fast series of commits does not keep
    /// the consumer busy.
    ///
    /// ```swift
    /// for try await books in store.values(of: Book.all.sort(\.title)).minimumInterval(.milliseconds(100)) {
    ///     show(books)
    /// }
    /// ```
    /// The first value comes immediately, and so does a value that follows the one before it after a longer time. A value
    /// that comes sooner is held back until the interval has passed, and is replaced by newer ones until then. The
    /// newest value is therefore never held back longer than the interval. The differences of a ``LiveList`` lead from
    /// the list that the consumer received before to the one that it receives.
    ///
    /// - Parameter interval: The duration. Values are not held back if it is zero or negative.
    public func minimumInterval(_ interval: Duration) -> LiveValues {
        minimumInterval(interval, clock: ContinuousClock())
    }

    /// Returns the values at intervals of at least the given duration, measured by a clock.
    func minimumInterval(_ interval: Duration, clock: some Clock<Duration>) -> LiveValues {
        LiveValues { [subscribe] in PacedInlet(from: subscribe(), interval: interval, clock: clock) }
    }
}
