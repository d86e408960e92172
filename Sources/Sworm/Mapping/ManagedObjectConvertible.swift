/// A plain type that is stored as an entity.
///
/// ```swift
/// struct Book { var title = ""; var year = 0 }
///
/// extension Book: ManagedObjectConvertible {
///     static let attributes: Set<Attribute<Book>> = [.init(\.title, "title", .indexed), .init(\.year, "year")]
///     struct Relations: Sendable { let author = ToOneRelation<Author>("author", inverse: \.books) }
///     static let relations = Relations()
/// }
/// ```
/// Structs and final classes can conform. In a module that is isolated to the main actor by default, declare the type
/// and its extension `nonisolated`.
public protocol ManagedObjectConvertible: ManagedTreeConvertible where Entity == Self {
    /// A type whose properties are the relations of the entity, or `Void` if the entity has none.
    associatedtype Relations: Sendable = Void

    /// The enum that holds the type as one of its cases, for a sub-entity; `Never` for any other entity. See
    /// ``SuperentityConvertible``.
    associatedtype Superentity = Never

    /// The name of the entity in the model, by default the name of the type.
    static var entityName: String { get }

    /// The entity's name in the previous version of the model, so that a migration finds its objects, or nil if it is
    /// the same.
    static var formerEntityName: String? { get }

    /// The table of relations.
    static var relations: Relations { get }

    /// The groups of attributes whose values must be unique together.
    ///
    /// For a single attribute, use ``AttributeOption/unique``.
    static var uniquenessConstraints: [UniquenessConstraint<Self>] { get }

    /// The indexes over several attributes.
    ///
    /// For a single attribute, use ``AttributeOption/indexed``.
    static var fetchIndexes: [FetchIndex<Self>] { get }
}

extension ManagedObjectConvertible {
    /// The name of the type.
    public static var entityName: String { String(describing: Self.self) }

    /// Nil, because the entity was not renamed.
    public static var formerEntityName: String? { nil }

    /// An empty array: no compound constraints.
    public static var uniquenessConstraints: [UniquenessConstraint<Self>] { [] }

    /// An empty array: no compound indexes.
    public static var fetchIndexes: [FetchIndex<Self>] { [] }
}

extension ManagedObjectConvertible where Relations == Void {
    /// An empty table: no relations.
    public static var relations: Void { () }
}
