/// An inlet whose values are made from those of another one when they are taken, with the help of the last one that was
/// taken.
final class DerivedInlet<Source: Sendable, Element: Sendable>: LiveInlet, @unchecked Sendable {
    private let source: any LiveInlet<Source>
    private let make: @Sendable (_ value: Source, _ last: Source?) -> Element?
    // Unchecked: only the one task that takes values uses it.
    private var last: Source?

    /// - Parameter make: Returns the value for the consumer, or nil to wait for the next value.
    init(
        from source: any LiveInlet<Source>, _ make: @escaping @Sendable (_ value: Source, _ last: Source?) -> Element?
    ) {
        self.source = source
        self.make = make
    }

    func next(isolation: isolated (any Actor)?) async throws -> Element? {
        while let value = try await source.next(isolation: isolation) {
            let element = make(value, last)
            last = value
            if let element { return element }
        }
        return nil
    }

    func end() { source.end() }
}
