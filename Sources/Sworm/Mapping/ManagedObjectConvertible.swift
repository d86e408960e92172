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
public protocol ManagedObjectConvertible: SendableMetatype {
    /// A type whose properties are the relations of the entity; `Void` when it has none.
    associatedtype Relations: Sendable = Void

    /// The name of the entity in the model. The name of the type, unless you say otherwise.
    static var entityName: String { get }

    /// The name of the entity in the version of the model before, so that a migration finds its objects; nil where it is
    /// the same.
    static var formerEntityName: String? { get }

    /// The table of attributes.
    ///
    /// It is read once; later changes are not seen.
    static var attributes: Set<Attribute<Self>> { get }

    /// The table of relations.
    static var relations: Relations { get }

    /// Groups of attributes whose values together must be unique. Use ``AttributeOption/unique`` for a single one.
    static var uniquenessConstraints: [UniquenessConstraint<Self>] { get }

    /// Indexes over several attributes. Use ``AttributeOption/indexed`` for a single one.
    static var fetchIndexes: [FetchIndex<Self>] { get }

    /// Makes a value to be filled from a store. Its values are the defaults of the model.
    init()
}

extension ManagedObjectConvertible {
    /// The name of the type.
    public static var entityName: String { String(describing: Self.self) }

    /// The entity was not renamed.
    public static var formerEntityName: String? { nil }

    /// No compound constraints.
    public static var uniquenessConstraints: [UniquenessConstraint<Self>] { [] }

    /// No compound indexes.
    public static var fetchIndexes: [FetchIndex<Self>] { [] }
}

extension ManagedObjectConvertible where Relations == Void {
    /// No relations.
    public static var relations: Void { () }
}
