import SwormPredicates

/// A reader of trees: the roots by one statement, and each branch by one statement for all owners.
final class TreeReader {
    let context: NSManagedObjectContext
    let bindings: BindingCache
    /// The state of the store that is read; nil if the trees must be read through objects.
    private(set) var session: TreeSession?
    private var levels: [AnyKeyPath: Int] = [:]

    init(_ context: NSManagedObjectContext, bindings: BindingCache) {
        self.context = context
        self.bindings = bindings
    }

    /// The number of roots that are read at a time while trees are iterated.
    static var partSize: Int { 1000 }

    // MARK: Roots

    /// Returns the trees that a request finds.
    func trees<T: ManagedTreeConvertible>(_ request: RequestContent, of type: T.Type) throws -> [T] {
        let (binding, plan) = try prepared(T.self)
        let trees = try withSession(for: request, of: binding, plan: plan) { session -> [T]? in
            guard let rows = binding.treeRows else { return nil }
            let found = try session.rows(
                of: request, in: binding, plan: rows, columns: plan.columns, links: plan.links)
            try fill(found, with: binding)
            return found.takeValues()
        }
        if let trees, let trees { return trees }
        return try values(of: context.fetchObjects(request, of: binding.entity), with: binding)
    }

    /// Calls a closure with the address of each tree that a request finds, out of which the closure must move it.
    func forEach<T: ManagedTreeConvertible>(
        in request: RequestContent, of type: T.Type, _ body: (UnsafeMutablePointer<T>) throws -> Void
    ) throws {
        let (binding, plan) = try prepared(T.self)
        let isRead = try withSession(for: request, of: binding, plan: plan) { session in
            guard let rows = binding.treeRows else { return false }
            try session.forEach(
                of: request, in: binding, plan: rows, columns: plan.columns, links: plan.links,
                size: Self.partSize
            ) { part in
                try fill(part, with: binding)
                try part.forEachValue(body)
            }
            return true
        }
        if isRead == true { return }
        let objects = try context.fetchObjects(request, of: binding.entity)
        for start in stride(from: 0, to: objects.count, by: Self.partSize) {
            let part = Array(objects[start..<min(start + Self.partSize, objects.count)])
            for tree in try values(of: part, with: binding) {
                try withUnsafeTemporaryAllocation(of: T.self, capacity: 1) { room in
                    guard let place = room.baseAddress else { return }
                    place.initialize(to: tree)
                    try body(place)
                }
            }
        }
    }

    /// Returns an object as a tree.
    func value<T: ManagedTreeConvertible>(of object: NSManagedObject, as type: T.Type) throws -> T {
        let (binding, _) = try prepared(T.self)
        var trees = try values(of: [object], with: binding)
        return trees.removeLast()
    }

    private func prepared<T: ManagedTreeConvertible>(
        _ type: T.Type
    ) throws -> (binding: EntityBinding<T>, plan: TreePlan<T>) {
        let plan = T.treePlan
        try plan.check()
        for column in plan.columns { if let failure = column.failure { throw failure } }
        if let recorder = bindings.recorder {
            for plan in plan.family { plan.record(with: recorder, bindings) }
        }
        return (try bindings.binding(for: T.self), plan)
    }

    /// Calls a closure with a state of the store; returns nil if the trees must be read through objects.
    private func withSession<T, R>(
        for request: RequestContent, of binding: EntityBinding<T>, plan: TreePlan<T>, _ body: (TreeSession) throws -> R
    ) throws -> R? {
        guard try plan.family.allSatisfy({ try $0.readsRows(bindings) }) else { return nil }
        return try withSession(reading: plan.entities, for: request, of: binding.entity, body)
    }

    /// Calls a closure with a state of the store; returns nil if objects must be read.
    func withSession<R>(
        reading entities: TreeEntities, for request: RequestContent, of entity: ModelEntity,
        _ body: (TreeSession) throws -> R
    ) throws -> R? {
        try context.withTreeSession(reading: entities, for: request, of: entity) { session in
            self.session = session
            defer { self.session = nil }
            return try body(session)
        }
    }

    // MARK: Levels

    /// Reads the branches of trees in rows.
    func fill<T: ManagedTreeConvertible>(_ rows: TreeRows<T>, with binding: EntityBinding<T>) throws {
        if rows.count == 0 { return }
        let plan = T.treePlan
        if let id = plan.idBranch {
            for (row, reference) in rows.references.enumerated() { rows.update(at: row) { id.set(reference, of: $0) } }
        }
        for branch in plan.branches { try branch.read(into: rows, of: binding, self) }
    }

    /// Returns objects as trees.
    func values<T: ManagedTreeConvertible>(of objects: [NSManagedObject], with binding: EntityBinding<T>) throws -> [T]
    {
        var trees = try objects.map { try binding.value(of: $0) }
        if T.branches.isEmpty || trees.isEmpty { return trees }
        let plan = T.treePlan
        try trees.withUnsafeMutableBufferPointer { trees in
            guard let start = trees.baseAddress else { return }
            let columns = plan.columns
            if !columns.isEmpty {
                let projection = try PreparedProjection(ProjectionTree(columns.map(\.expression)))
                let rows = try projection.rows(of: objects.map(\.predicateSubject))
                for (index, values) in rows.enumerated() {
                    for (column, value) in zip(columns, values) { try column.write(start + index, value) }
                }
            }
            if let id = plan.idBranch {
                for (index, object) in objects.enumerated() where !object.objectID.isTemporaryID {
                    id.set(object.objectID.reference, of: start + index)
                }
            }
            for branch in plan.branches { try branch.read(into: trees, of: objects, with: binding, self) }
        }
        return trees
    }

    /// Follows a branch, and returns false if that exceeds its depth.
    func follow<Tree>(along property: PartialKeyPath<Tree>, depth: Int?, _ body: () throws -> Void) throws -> Bool {
        guard let depth else {
            try body()
            return true
        }
        let level = levels[property, default: 0]
        if level >= depth { return false }
        levels[property] = level + 1
        defer { levels[property] = level }
        try body()
        return true
    }
}
