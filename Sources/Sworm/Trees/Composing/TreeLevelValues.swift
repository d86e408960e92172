import SwormPredicates

/// The values of one level, with what is needed to read values that belong to them.
final class TreeLevelValues<Value> {
    let owners: TreeOwners
    /// The computed values, a list for each column.
    let computed: [[AttributeValue]]
    private let source: Source

    private enum Source {
        case rows(TreeRows<Value>)
        case values([Value])
    }

    init(_ rows: TreeRows<Value>, links: [String], computed: [[AttributeValue]]) {
        owners = .rows(
            keys: rows.keys, links: Dictionary(uniqueKeysWithValues: links.map { ($0, rows.links($0)) }))
        self.computed = computed
        source = .rows(rows)
    }

    init(_ values: [Value], of objects: [NSManagedObject], computed: [[AttributeValue]]) {
        owners = .objects(objects)
        self.computed = computed
        source = .values(values)
    }

    /// The keys of the rows; empty for objects.
    var keys: [Int64] { if case .rows(let keys, _) = owners { keys } else { [] } }

    /// Returns the rows of each owner.
    func groups(of owners: KeyList) -> RowGroups {
        if case .rows(let rows) = source { rows.groups(of: owners) } else { RowGroups(of: owners) }
    }

    /// Moves the values out.
    func takeValues() -> [Value] {
        switch source {
        case .rows(let rows): rows.takeValues()
        case .values(let values): values
        }
    }
}

/// The computed values of one column, in the order of the rows.
private final class ComputedList {
    var values: [AttributeValue] = []
}

extension TreeReader {
    /// Returns the values of a level from rows.
    func rows<Child, Element>(
        _ request: RequestContent, from source: TreeSource = .request, for maker: ElementMaker<Child, Element>
    ) throws -> TreeLevelValues<Child> {
        let binding = try bindings.binding(for: Child.self)
        guard let session, let plan = binding.treeRows else {
            throw StoreError(
                .unsupported, "\(Child.Entity.entityName): \(Child.self) cannot be read from rows.",
                entity: Child.Entity.entityName)
        }
        let lists = maker.parts.computed.map { _ in ComputedList() }
        let columns = zip(maker.parts.computed, lists).map { computed, list in
            let value = computed()
            // Unsafe: the store calls the closure during this call only, one row after another.
            nonisolated(unsafe) let list = list
            return ComputedColumn<Child>(expression: value.expression, failure: value.failure, kind: value.kind) {
                list.values.append($1)
            }
        }
        let own = Child.treePlan
        let rows = try session.rows(
            of: request, in: binding, plan: plan, columns: own.columns + columns,
            links: own.links + maker.parts.links.filter { !own.links.contains($0) }, source: source)
        try fill(rows, with: binding)
        return TreeLevelValues(rows, links: maker.parts.links, computed: lists.map(\.values))
    }

    /// Returns the values of a level from objects.
    func level<Child, Element>(
        of objects: [NSManagedObject], for maker: ElementMaker<Child, Element>
    ) throws -> TreeLevelValues<Child> {
        let values = try values(of: objects, with: bindings.binding(for: Child.self))
        if maker.parts.computed.isEmpty { return TreeLevelValues(values, of: objects, computed: []) }
        let projection = try PreparedProjection(ProjectionTree(maker.parts.computed.map { $0().expression }))
        let rows = try projection.rows(of: objects.map(\.predicateSubject))
        return TreeLevelValues(
            values, of: objects, computed: maker.parts.computed.indices.map { column in rows.map { $0[column] } })
    }

    /// Returns the elements that a request finds.
    func elements<Child, Element>(
        _ request: RequestContent, by maker: ElementMaker<Child, Element>
    ) throws -> [Element] {
        let needs = maker.needs.on(Child.self)
        if let failure = needs.failure { throw failure }
        let plan = Child.treePlan
        try plan.check()
        if let recorder = bindings.recorder { needs.record(with: recorder, bindings) }
        let binding = try bindings.binding(for: Child.self)
        if try needs.readsRows(bindings) {
            let elements = try withSession(reading: needs.entities, for: request, of: binding.entity) { _ in
                try maker.make(rows(request, for: maker), self)
            }
            if let elements { return elements }
        }
        return try maker.make(level(of: context.fetchObjects(request, of: binding.entity), for: maker), self)
    }
}

extension [[NSManagedObject]] {
    /// Returns a list of values for all objects as a list for each list of objects.
    func split<Value>(_ values: [Value]) -> [[Value]] {
        var next = 0
        return map { objects in
            defer { next += objects.count }
            return Array<Value>(values[next..<next + objects.count])
        }
    }
}
