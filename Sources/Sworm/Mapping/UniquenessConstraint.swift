/// A group of attributes whose values must be unique together in the entity.
///
/// ```swift
/// static let uniquenessConstraints: [UniquenessConstraint<Book>] = [.init(\.title, \.year)]
/// ```
public struct UniquenessConstraint<PlainObject: SendableMetatype>: Sendable {
    let keyPaths: [any PartialKeyPath<PlainObject> & Sendable]

    /// Creates a constraint over attributes of the table.
    public init(
        _ first: any PartialKeyPath<PlainObject> & Sendable, _ others: any PartialKeyPath<PlainObject> & Sendable...
    ) {
        keyPaths = [first] + others
    }
}
