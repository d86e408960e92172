import SwormPredicates

/// A struct that is stored as a composite attribute: each of its properties has a column in the row of the object that
/// contains the struct.
///
/// ```swift
/// struct Address { var street = ""; var city = "" }
///
/// extension Address: CompositeConvertible {
///     static let attributes: Set<Attribute<Address>> = [.init(\.street, "street"), .init(\.city, "city")]
/// }
///
/// extension Person: ManagedObjectConvertible, CompositeOwner {
///     static let attributes: Set<Attribute<Person>> = [.init(\.name, "name"), .init(\.address, "address")]
/// }
///
/// let inKyiv = try context.decode(Person.all.where { $0.address.city == "Kyiv" }.sort(\.address.street))
/// ```
/// The property can be an optional. It is then nil if all columns are NULL, so an optional struct whose elements are all nil
/// is read as nil. The type of an element can be another composite struct, whose elements have primitive types.
///
/// An element cannot be unique or indexed; declare such a property outside of the struct. To store a value as a whole,
/// without columns for its properties, use ``AttributeFormat/json`` or ``CodableAttribute``.
public protocol CompositeConvertible: SendableMetatype {
    /// The table of elements.
    ///
    /// It is read together with the tables that use it, and must always be the same.
    static var attributes: Set<Attribute<Self>> { get }

    /// Creates a value whose elements are read from a store afterwards.
    ///
    /// Its initial values are the defaults of the model.
    init()
}

/// A type with composite attributes: an entity, or a composite struct that contains another one.
///
/// The conformance makes the elements of the composites available in conditions. It has no requirements, and only types with
/// composite attributes need it, so that the compiler's messages about misspelt names stay exact for all other types.
public protocol CompositeOwner: SendableMetatype {}

extension CompositeConvertible {
    /// The elements, in the order of their names. They are built on first access.
    static var composite: CompositeTable { CompositeTable.table(of: Self.self) }

    /// The number of enclosing composites above which a type must contain itself. A valid table has fewer.
    private static var depthLimit: Int { 4 }

    /// Returns the lines of the elements, in the order of their names; for elements that are composite, those of their
    /// elements.
    static func lines(depth: Int) -> [AttributeLine<Self>] {
        depth > depthLimit ? [] : attributes.flatMap { $0.lines(depth) }.sorted { $0.name < $1.name }
    }

    /// Returns the elements that are composite, and those that they contain without being optional.
    static func composites(depth: Int) -> [AttributeComposite<Self>] {
        depth > depthLimit ? [] : attributes.flatMap { $0.composites?(depth) ?? [] }.sorted { $0.name < $1.name }
    }
}
