import SwormPredicates

/// The form in which a branch holds the objects behind its relation.
protocol ChildSource<Value>: Sendable {
    /// The type whose mapping reads the objects.
    associatedtype Object: ManagedTreeConvertible
    /// The type of one child in the tree.
    associatedtype Value

    /// The names of the attributes that are read.
    var attributePaths: [[String]] { get }
    /// The computed columns of a child.
    var columns: [ComputedColumn<Value>] { get }
    /// The relations to one whose keys the rows of the children need.
    var links: [String] { get }
    /// The plan of the child's own branches; nil if it has none.
    var plan: (any AnyTreePlan)? { get }

    /// The child as conditions see it.
    var subject: ChildSubject { get }
    /// Returns children as conditions see them.
    func subjects(of values: [Value]) throws -> [any EvaluationSubject]

    func rows(with binding: EntityBinding<Object>) throws -> PlannedRows<Value>?
    /// Reads the branches of children in rows.
    func fill(_ rows: TreeRows<Value>, with binding: EntityBinding<Object>, by reader: TreeReader) throws
    /// Whether a child is an attribute of its object.
    var isAttribute: Bool { get }
    /// Whether children hold ids.
    var hasIDs: Bool { get }
    /// Returns the id that a child holds.
    func reference(of value: Value) -> ObjectReference?
    /// Returns the role of a branch that names none; nil if the relation decides.
    func defaultRole(isToMany: Bool) -> BranchRole?
    /// Returns the index of the attribute that identifies a child; nil if the branch or the entity decides.
    func identifyingIndex(in mapping: EntityMapping<Object>) throws -> Int?
    /// Returns a child in the form in which it is written.
    func encoded(_ value: Value, as type: TypedSave<Object>) throws -> EncodedValue
    /// Returns the version that a child was read at.
    func version(of value: EncodedValue) throws -> SavedVersion?
    /// Whether children have a version.
    var hasVersion: Bool { get }
    /// Returns whether a new object may have the version of a child.
    func hasNewVersion(_ value: UnsafePointer<Value>, as binding: EntityBinding<Object>) throws -> Bool
    /// Returns the comparison of children in memory.
    ///
    /// - Throws: ``NeedsObjects`` if they are not written as one row of one entity each.
    func comparer(keys: [Int], in binding: EntityBinding<Object>) throws -> RowComparer
    /// Returns the values of a child's attributes as they are written; nil for those that are not given.
    func written(_ value: UnsafePointer<Value>, as binding: EntityBinding<Object>) throws -> [AttributeValue?]
    /// Compares the branches of children, besides that of a relation.
    func compareBranches(of trees: ComparedTrees<Value>, besides inverse: String?, _ comparison: TreeComparison) throws
    /// Adds the branches of children to a save, besides that of a relation.
    func saveBranches(of trees: [SavedTree<Value>], besides inverse: String?, _ saver: TreeSaver) throws

    func values(of objects: [NSManagedObject], with binding: EntityBinding<Object>, _ reader: TreeReader) throws
        -> [Value]
}

/// A child that is a whole value, with its own branches.
struct WholeChild<Child: ManagedTreeConvertible>: ChildSource {
    typealias Object = Child
    typealias Value = Child

    var attributePaths: [[String]] { Child.mapping.decodedPaths }
    var plan: (any AnyTreePlan)? { Child.branches.isEmpty ? nil : Child.treePlan }

    var columns: [ComputedColumn<Child>] { Child.branches.isEmpty ? [] : Child.treePlan.columns }
    var links: [String] { Child.branches.isEmpty ? [] : Child.treePlan.links }

    func rows(with binding: EntityBinding<Child>) -> PlannedRows<Child>? { binding.treeRows }

    func fill(_ rows: TreeRows<Child>, with binding: EntityBinding<Child>, by reader: TreeReader) throws {
        try reader.fill(rows, with: binding)
    }

    func values(
        of objects: [NSManagedObject], with binding: EntityBinding<Child>, _ reader: TreeReader
    ) throws -> [Child] {
        try reader.values(of: objects, with: binding)
    }
}

/// A child of which only one attribute is in the tree.
struct AttributeChild<Object: ManagedObjectConvertible, Value: SupportedAttributeType>: ChildSource {
    let attribute: any KeyPath<Object, Value> & Sendable

    var attributePaths: [[String]] { (try? [[Object.mapping.attribute(attribute).name]]) ?? [] }
    var plan: (any AnyTreePlan)? { nil }
    var columns: [ComputedColumn<Value>] { [] }
    var links: [String] { [] }

    func rows(with binding: EntityBinding<Object>) throws -> PlannedRows<Value>? {
        let initial = attribute
        return binding.rows(ofAttribute: try binding.mapping.index(of: attribute), as: Value.self) {
            Object()[keyPath: initial]
        }
    }

    func fill(_ rows: TreeRows<Value>, with binding: EntityBinding<Object>, by reader: TreeReader) {}

    func values(
        of objects: [NSManagedObject], with binding: EntityBinding<Object>, _ reader: TreeReader
    ) throws -> [Value] {
        let index = try binding.mapping.index(of: attribute)
        return try objects.map { object in
            let stored = try binding.value(of: object, at: index)
            do {
                return try Value.decode(stored)
            } catch {
                throw binding.mapping.attributeError(at: index, value: stored, cause: error)
            }
        }
    }
}
