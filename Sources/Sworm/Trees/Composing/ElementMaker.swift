import SwormPredicates

/// The objects of one level for which values are read.
enum TreeOwners {
    /// Rows, by their keys, with the keys of the destinations of relations to one.
    case rows(keys: [Int64], links: [String: [Int64]])
    case objects([NSManagedObject])

    var count: Int {
        switch self {
        case .rows(let keys, _): keys.count
        case .objects(let objects): objects.count
        }
    }
}

/// A computed value of objects, without its type.
struct ComputedValue: Sendable {
    let expression: ExpressionTree
    let failure: StoreError?
    let kind: PrimitiveKind
}

/// The parts of a store that values of objects read.
struct TreeNeeds: Sendable {
    private(set) var entities = TreeEntities()
    private(set) var failure: StoreError?
    private var checks: [@Sendable (BindingCache) throws -> Bool] = []
    private var records: [@Sendable (RequestRecorder, BindingCache) -> Void] = []

    init() {}

    init(of computed: ComputedValue) {
        entities.readsOthers = true
        failure = computed.failure
        let tree = ProjectionTree([computed.expression])
        computedTrees = [tree]
    }

    /// The trees of computed values, whose entity is that of the owner.
    private var computedTrees: [ProjectionTree] = []

    mutating func merge(_ other: TreeNeeds) {
        entities.merge(other.entities)
        failure = failure ?? other.failure
        checks += other.checks
        records += other.records
        computedTrees += other.computedTrees
    }

    /// Returns the needs of a level with those of the objects behind a relation.
    func adding<Child: ManagedTreeConvertible, Owner: ManagedObjectConvertible>(
        _ child: Child.Type, isPlain: Bool, behind relation: String, of owner: Owner.Type
    ) -> TreeNeeds {
        var needs = self.on(Child.self)
        needs.entities.names.insert(Child.Entity.entityName)
        needs.entities.readsOthers = needs.entities.readsOthers || !isPlain
        needs.records.append { recorder, bindings in
            recorder.note(
                RequestContent(), of: bindings.description(of: Owner.entityName), attributes: [[relation]])
        }
        return needs
    }

    /// Returns the needs of values that belong to the objects of a type, with those of the objects.
    func on<T: ManagedTreeConvertible>(_ type: T.Type) -> TreeNeeds {
        var needs = self
        needs.computedTrees = []
        let trees = computedTrees
        let plan = T.treePlan
        needs.entities.merge(plan.entities)
        needs.checks.append { bindings in try plan.family.allSatisfy { try $0.readsRows(bindings) } }
        needs.records.append { recorder, bindings in
            recorder.note(
                RequestContent(of: T.self), of: bindings.description(of: T.Entity.entityName),
                attributes: T.mapping.decodedPaths)
            for plan in plan.family { plan.record(with: recorder, bindings) }
            for tree in trees { recorder.note(tree, of: bindings.description(of: T.Entity.entityName)) }
        }
        return needs
    }

    func readsRows(_ bindings: BindingCache) throws -> Bool { try checks.allSatisfy { try $0(bindings) } }

    func record(with recorder: RequestRecorder, _ bindings: BindingCache) {
        for record in records { record(recorder, bindings) }
    }
}

/// The way in which the elements of a level are made of its values.
struct ElementMaker<Child: ManagedTreeConvertible, Element>: Sendable {
    var parts = PartNeeds()
    /// Whether the elements are the values.
    var isPlain = false
    let make: @Sendable (TreeLevelValues<Child>, TreeReader) throws -> [Element]

    var needs: TreeNeeds { parts.needs }
}

/// The parts of a level that its values do not have.
struct PartNeeds: Sendable {
    /// The relations to one whose keys are needed.
    private(set) var links: [String] = []
    private(set) var computed: [@Sendable () -> ComputedValue] = []
    private(set) var needs = TreeNeeds()

    mutating func add<Value>(_ reading: TreeValueReading<Value>) {
        if let link = reading.link, !links.contains(link) { links.append(link) }
        if let computed = reading.computed { self.computed.append(computed) }
        needs.merge(reading.needs)
    }
}

extension ElementMaker where Element == Child {
    /// The maker whose elements are the values.
    static var plain: ElementMaker { ElementMaker(isPlain: true) { level, _ in level.takeValues() } }
}

// The compiler cannot pass a function with a parameter pack to another function, so there are two.

/// Returns the maker of tuples of the values and further values that belong to them.
func tupleMaker<Child, each Part: TreeValue>(
    _ parts: repeat each Part
) -> ElementMaker<Child, (Child, repeat (each Part).Value)> {
    let readings = (repeat (each parts).reading)
    var needs = PartNeeds()
    repeat needs.add(each readings)
    return ElementMaker(parts: needs) { level, reader in
        let run = PartRun(of: level, by: reader)
        let lists = (repeat try run.values(each readings))
        let children = level.takeValues()
        return children.indices.map { (children[$0], repeat (each lists)[$0]) }
    }
}

/// Returns the maker of elements that a function makes of the values and further values that belong to them.
func elementMaker<Child, each Part: TreeValue, Element>(
    _ parts: repeat each Part, make: @escaping @Sendable (Child, repeat (each Part).Value) throws -> Element
) -> ElementMaker<Child, Element> {
    let readings = (repeat (each parts).reading)
    var needs = PartNeeds()
    repeat needs.add(each readings)
    return ElementMaker(parts: needs) { level, reader in
        let run = PartRun(of: level, by: reader)
        let lists = (repeat try run.values(each readings))
        let children = level.takeValues()
        return try children.indices.map { try make(children[$0], repeat (each lists)[$0]) }
    }
}

/// The reading of the parts of one level, in their order.
private final class PartRun<Child: ManagedTreeConvertible> {
    private let level: TreeLevelValues<Child>
    private let reader: TreeReader
    private var nextComputed = 0

    init(of level: TreeLevelValues<Child>, by reader: TreeReader) {
        self.level = level
        self.reader = reader
    }

    func values<Value>(_ reading: TreeValueReading<Value>) throws -> [Value] {
        guard reading.computed != nil else { return try reading.read(level.owners, [], reader) }
        defer { nextComputed += 1 }
        return try reading.read(level.owners, level.computed[nextComputed], reader)
    }
}
