/// Attributes whose values together must be unique in the entity.
///
/// ```swift
/// static let uniquenessConstraints: [UniquenessConstraint<Book>] = [.init(\.title, \.year)]
/// ```
public struct UniquenessConstraint<PlainObject: ManagedObjectConvertible>: Sendable {
    package let keyPaths: [any PartialKeyPath<PlainObject> & Sendable]

    /// Makes a constraint over attributes that are in the table.
    public init(
        _ first: any PartialKeyPath<PlainObject> & Sendable, _ others: any PartialKeyPath<PlainObject> & Sendable...
    ) {
        keyPaths = [first] + others
    }
}
