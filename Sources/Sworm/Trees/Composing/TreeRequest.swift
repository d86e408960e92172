/// A request for objects with values that belong to them, which is put together where it is used.
///
/// ```swift
/// let rows: [(Book, Author?, [Review])] = try context.decode(Book.all.with(\.author, \.reviews))
/// ```
/// ``ManagedObjectContext/decode(_:)->[Value]`` returns its values.
public struct TreeRequest<Entity: ManagedObjectConvertible, Value>: Sendable {
    let content: RequestContent
    let read: @Sendable (RequestContent, TreeReader) throws -> [Value]

    /// Returns the request with values that a closure makes of those of this request.
    public func map<New>(_ make: @escaping @Sendable (Value) throws -> New) -> TreeRequest<Entity, New> {
        let read = read
        return TreeRequest<Entity, New>(content: content) { try read($0, $1).map(make) }
    }
}
