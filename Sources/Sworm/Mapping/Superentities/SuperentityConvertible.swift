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
///     static let attributes: Set<Attribute<Media>> = [.init(shared: \.title, named: "title")]
///
///     init() { self = .book(Book()) }
/// }
///
/// extension Book: ManagedObjectConvertible {
///     typealias Superentity = Media
///     static let attributes: Set<Attribute<Book>> = [.init(\.title, "title"), .init(\.pages, "pages")]
/// }
///
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
    /// It is read together with the tables, and must always be the same.
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
    @usableFromInline let embed: @Sendable (Object) -> Superentity
    // Rows are decoded and written in memory whose type only these closures know. They accept any address as one of their
    // types; the plans of rows call them with memory that they allocated for these types.
    /// Moves a struct out of its memory, and initializes the memory of an enum with it.
    @usableFromInline let initialize: @Sendable (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Void
    /// Moves a struct out of its memory, and assigns it to an enum.
    @usableFromInline let assign: @Sendable (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Void
    /// Initializes the memory of a struct with that of an enum. Returns false, and leaves the memory as it is, for another case.
    @usableFromInline let extract: @Sendable (UnsafeRawPointer, UnsafeMutableRawPointer) -> Bool

    // Inlinable, so that the closures are compiled for the enum and the struct, not for types that are looked up at run time.
    /// Creates a case.
    ///
    /// - Parameter embed: The case of the enum, as a function that creates it from the struct.
    @inlinable
    public init(_ embed: @escaping @Sendable (Object) -> Superentity) {
        self.embed = embed
        initialize = { source, place in
            place.initializeMemory(as: Superentity.self, to: embed(source.assumingMemoryBound(to: Object.self).move()))
        }
        assign = { source, place in
            place.assumingMemoryBound(to: Superentity.self).pointee =
                embed(source.assumingMemoryBound(to: Object.self).move())
        }
        extract = { source, place in
            guard let object = source.assumingMemoryBound(to: Superentity.self).pointee.subentity as? Object else {
                return false
            }
            place.initializeMemory(as: Object.self, to: object)
            return true
        }
    }
}
