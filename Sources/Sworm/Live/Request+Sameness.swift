extension Request where PlainObject: ManagedObjectConvertible & Sendable {
    /// Returns whether both requests are valid and find the same objects in the same order.
    package func isSame(as other: Request) -> Bool {
        let key = LiveCenter.RequestKey(self)
        return key.isValid && key == LiveCenter.RequestKey(other)
    }
}

extension SectionedRequest where PlainObject: Sendable {
    /// Returns whether both requests are valid and find the same objects and sections in the same order.
    package func isSame(as other: SectionedRequest) -> Bool {
        let key = LiveCenter.RequestKey(self)
        return key.isValid && key == LiveCenter.RequestKey(other)
    }
}
