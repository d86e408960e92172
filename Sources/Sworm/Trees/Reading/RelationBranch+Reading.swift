import Foundation
import SwormPredicates

// Reading from rows: one statement for all owners.
extension RelationBranch {
    func read(into rows: TreeRows<Tree>, of owner: EntityBinding<Tree>, _ reader: TreeReader) throws {
        guard let session = reader.session else { return }
        let binding = try reader.bindings.binding(for: Source.Object.self)
        let keys = rows.keys
        let owners = isToMany ? KeyList(keys) : KeyList(rows.links(relation))
        let origin =
            isToMany
            ? TreeSource.members(
                of: owner.entity, relation: relation, owners: owners.keys, anyOrder: source.plan == nil)
            : TreeSource.keys(owners.keys)
        func children() throws -> TreeRows<Source.Value>? {
            guard let plan = try source.rows(with: binding) else { return nil }
            return try session.rows(
                of: choice, in: binding, plan: plan, columns: source.columns, links: source.links, source: origin)
        }
        var found: TreeRows<Source.Value>?
        let isFollowed = try reader.follow(along: property, depth: depth) {
            found = owners.keys.isEmpty ? nil : try children()
            if let found { try source.fill(found, with: binding, by: reader) }
        }
        if !isFollowed, !owners.keys.isEmpty, let deeper = try children(), deeper.count > 0 {
            return try leaveOut(deeper, of: owners, in: rows)
        }
        guard isToMany else { return try setOne(found, keys: owners, in: rows) }
        let lists = found?.takeLists(of: owners) ?? []
        for row in 0..<rows.count {
            let list = lists.isEmpty ? [] : lists[owners.index(row)]
            try rows.update(at: row) { if !set(list, of: $0) { throw missing("p\(keys[row])") } }
        }
    }

    /// Leaves children out that are deeper than the branch goes. Trees without children have none.
    private func leaveOut(_ deeper: TreeRows<Source.Value>, of owners: KeyList, in rows: TreeRows<Tree>) throws {
        guard let leave else { throw tooDeep() }
        let groups = isToMany ? deeper.groups(of: owners) : nil
        let places = isToMany ? [] : owners.places(of: deeper.keys)
        let keys = rows.keys
        for row in 0..<rows.count {
            let isDeeper =
                groups.map { !$0[owners.index(row)].isEmpty }
                ?? (!owners.isMissing(row) && places[owners.index(row)] >= 0)
            try rows.update(at: row) { tree in
                if isDeeper { return leave(tree) }
                if !set([], of: tree) { throw missing("p\(keys[row])") }
            }
        }
    }

    private func setOne(_ children: TreeRows<Source.Value>?, keys links: KeyList, in rows: TreeRows<Tree>) throws {
        let places = links.places(of: children?.keys ?? [])
        let keys = rows.keys
        for row in 0..<rows.count {
            let place = links.isMissing(row) ? -1 : places[links.index(row)]
            let child = place >= 0 ? children?.copy(place) : nil
            guard case .one(let setChild) = content else { continue }
            try rows.update(at: row) { if !setChild($0, child) { throw missing("p\(keys[row])") } }
        }
    }

    /// Sets the children of a tree. Returns false if the property needs a child, which is missing.
    private func set(_ children: [Source.Value], of tree: UnsafeMutablePointer<Tree>) -> Bool {
        switch content {
        case .one(let set): return set(tree, children.first)
        case .many(let set):
            set(tree, children)
            return true
        }
    }
}

// Reading through objects, if unsaved changes must be merged, and on Core Data.
extension RelationBranch {
    func read(
        into trees: UnsafeMutableBufferPointer<Tree>, of objects: [NSManagedObject], with owner: EntityBinding<Tree>,
        _ reader: TreeReader
    ) throws {
        let binding = try reader.bindings.binding(for: Source.Object.self)
        let chosen = try ObjectChoice(choice, of: binding, isOrdered: kind == .toManyOrdered)
        let lists = try objects.map { object in
            try chosen.objects(
                in: isToMany
                    ? owner.members(of: object, along: relation)
                    : reader.context.present(owner.destination(of: object, along: relation)).map { [$0] } ?? [])
        }
        var values: [Source.Value] = []
        let isFollowed = try reader.follow(along: property, depth: depth) {
            values = try source.values(of: lists.flatMap { $0 }, with: binding, reader)
        }
        if !isFollowed, lists.contains(where: { !$0.isEmpty }) {
            guard let leave else { throw tooDeep() }
            guard let start = trees.baseAddress else { return }
            for index in trees.indices {
                if !lists[index].isEmpty {
                    leave(start + index)
                } else if !set([], of: start + index) {
                    throw missing(objects[index].objectID.reference.url.lastPathComponent)
                }
            }
            return
        }
        guard let start = trees.baseAddress else { return }
        var next = 0
        for index in trees.indices {
            let end = isFollowed ? next + lists[index].count : next
            if !set(Array(values[next..<end]), of: start + index) {
                throw missing(objects[index].objectID.reference.url.lastPathComponent)
            }
            next = end
        }
    }
}

extension RelationBranch {
    private func missing(_ id: String) -> StoreError {
        let property = keyPathName(property).components.joined(separator: ".")
        return StoreError(
            .validation,
            "\(Tree.Entity.entityName) \(id) has no object behind '\(relation)', and \(name) needs one. Make the property '\(property)' an optional.",
            entity: Tree.Entity.entityName, attribute: relation)
    }

    private func tooDeep() -> StoreError {
        StoreError(
            .invalidRequest,
            "\(name) goes deeper than \(depth ?? 0) levels. Give it a larger `.depth`, or make the property an optional, which is nil where the tree is not read.",
            entity: Tree.Entity.entityName, attribute: relation)
    }
}
