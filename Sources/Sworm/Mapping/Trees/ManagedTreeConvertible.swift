/// A plain type whose values are trees: an object of an entity, and the objects behind its relations.
///
/// A REST body, a page for a view and an export are trees. A tree is declared beside its struct, in the style of the tables
/// of ``ManagedObjectConvertible``:
///
/// ```swift
/// struct BookPage: Codable {
///     var title = ""
///     var author: Author?
///     var reviews: [Review] = []
///     var tags: [String] = []
///     var reviewCount = 0
/// }
///
/// extension BookPage: ManagedTreeConvertible {
///     typealias Entity = Book
///     static let attributes: Set<Attribute<BookPage>> = [.init(\.title, \.title)]
///     static let branches: [Branch<BookPage>] = [
///         .init(\.author, \.author, .shared), .init(\.reviews, \.reviews, .matched(by: \.day)),
///         .init(\.tags, \.tags, \.name), .init(\.reviewCount, \.reviews.count),
///     ]
/// }
/// ```
/// The conditions and the sort order of a request for trees are those of the entity, whose attributes need not be in the
/// tree: `BookPage.all.where { $0.year > 1800 }.sort(\.title)`.
///
/// Every ``ManagedObjectConvertible`` is a tree without branches. Structs and final classes can conform.
public protocol ManagedTreeConvertible: SendableMetatype {
    /// The type of the objects at the root of a tree.
    associatedtype Entity: ManagedObjectConvertible

    /// The table of attributes of the root, those that the tree has.
    ///
    /// It is read once. Later changes have no effect.
    static var attributes: Set<Attribute<Self>> { get }

    /// The table of branches: properties that hold objects behind relations, or values that are computed from them.
    ///
    /// It is read once. Later changes have no effect.
    static var branches: [Branch<Self>] { get }

    /// Creates a tree whose values are read from a store afterwards.
    init()
}

extension ManagedTreeConvertible {
    /// An empty table: no branches.
    public static var branches: [Branch<Self>] { [] }
}
