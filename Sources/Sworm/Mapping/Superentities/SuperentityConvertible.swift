import SwormPredicates

/// An entity with sub-entities: an enum whose cases hold the structs of the sub-entities.
///
/// ```swift
/// enum Media { case book(Book), film(Film) }
///
/// extension Media: SuperentityConvertible {
///     struct Subentities: Sendable {
///         let book = Subentity(Media.book)
///         let film = Subentity(Media.film)
///     }
///     static let subentities = Subentities()
///
///     var subentity: any ManagedObjectConvertible {
///         switch self {
///         case .book(let book): book
///         case .film(let film): film
///         }
///     }
///
///     // The shared attributes. The structs have properties for them too, under the same names in their tables.
///     var title: String { (subentity as? any Titled)?.title ?? "" }
///     static let attributes: Set<Attribute<Media>> = [.init(\.title, "title")]
///
///     init() { self = .book(Book()) }
/// }
///
/// extension Book: ManagedObjectConvertible {
///     typealias Superentity = Media
///     static let attributes: Set<Attribute<Book>> = [.init(\.title, "title"), .init(\.pages, "pages")]
/// }
///
/// let thick = try context.decode(Media.all.where { $0.title.hasPrefix("War") || $0.as(Book.self).pages > 300 })
/// ```
/// The enum is fetched, inserted, saved and counted like any other entity, with all its cases: as in Core Data, the objects of
/// the sub-entities are in one table. A struct is fetched and inserted as an entity of its own as well.
///
/// The table of the enum declares the attributes and relations that all cases share, with their options. A struct declares
/// a shared attribute again, without options, because its properties are its own; a shared relation may be declared again,
/// or accessed through ``ManagedObject/asSuperentity``.
///
/// The case of an object never changes. The super-entity is abstract, unless one of the structs has the same entity name:
/// this struct then represents objects of the super-entity itself. A struct can be replaced by another enum, for a deeper
/// hierarchy.
public protocol SuperentityConvertible: ManagedObjectConvertible {
    /// A type whose properties are the cases, each a ``Subentity``.
    associatedtype Subentities: Sendable

    /// The table of cases.
    ///
    /// It is read once. Later changes have no effect.
    static var subentities: Subentities { get }

    /// The struct that the case holds.
    var subentity: any ManagedObjectConvertible { get }
}

/// A case of a super-entity's enum: a property of ``SuperentityConvertible/Subentities``.
///
/// ```swift
/// let book = Subentity(Media.book)
/// ```
public struct Subentity<Superentity: SuperentityConvertible, Object: ManagedObjectConvertible>: Sendable
where Object.Superentity == Superentity {
    let embed: @Sendable (Object) -> Superentity

    /// Creates a case.
    ///
    /// - Parameter embed: The case of the enum, as a function that creates it from the struct.
    public init(_ embed: @escaping @Sendable (Object) -> Superentity) { self.embed = embed }
}
