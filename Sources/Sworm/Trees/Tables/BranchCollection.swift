/// A property that holds the objects behind a relation to many: an array, a set, or an optional of one of them, which can be left
/// out of a tree.
///
/// Do not conform further types.
public protocol BranchCollection<BranchChild>: SendableMetatype {
    /// The type of one object in the collection.
    associatedtype BranchChild

    /// Returns the collection of children in the order of the relation.
    static func _collection(of children: [BranchChild]) -> Self
    /// Returns the children of a collection; nil if they are left out.
    static func _children(of collection: Self) -> [BranchChild]?
    /// The value that leaves the children out; nil if they cannot be left out.
    static var _leftOut: Self? { get }
    /// Whether the collection has an order.
    static var _isInOrder: Bool { get }
}

extension Array: BranchCollection {
    /// The type of one object in the collection.
    public typealias BranchChild = Element

    /// Returns the collection of children in the order of the relation.
    public static func _collection(of children: [Element]) -> [Element] { children }
    /// Returns the children of a collection; nil if they are left out.
    public static func _children(of collection: [Element]) -> [Element]? { collection }
    /// The value that leaves the children out; nil if they cannot be left out.
    public static var _leftOut: [Element]? { nil }
    /// Whether the collection has an order.
    public static var _isInOrder: Bool { true }
}

extension Set: BranchCollection {
    /// The type of one object in the collection.
    public typealias BranchChild = Element

    /// Returns the collection of children in the order of the relation.
    public static func _collection(of children: [Element]) -> Set<Element> { Set(children) }
    /// Returns the children of a collection; nil if they are left out.
    public static func _children(of collection: Set<Element>) -> [Element]? { Array(collection) }
    /// The value that leaves the children out; nil if they cannot be left out.
    public static var _leftOut: Set<Element>? { nil }
    /// Whether the collection has an order.
    public static var _isInOrder: Bool { false }
}

extension Optional: BranchCollection where Wrapped: BranchCollection {
    /// The type of one object in the collection.
    public typealias BranchChild = Wrapped.BranchChild

    /// Returns the collection of children in the order of the relation.
    public static func _collection(of children: [Wrapped.BranchChild]) -> Wrapped? { Wrapped._collection(of: children) }
    /// Returns the children of a collection; nil if they are left out.
    public static func _children(of collection: Wrapped?) -> [Wrapped.BranchChild]? {
        collection.flatMap { Wrapped._children(of: $0) }
    }
    /// The value that leaves the children out; nil if they cannot be left out.
    public static var _leftOut: Wrapped?? { .some(nil) }
    /// Whether the collection has an order.
    public static var _isInOrder: Bool { Wrapped._isInOrder }
}
