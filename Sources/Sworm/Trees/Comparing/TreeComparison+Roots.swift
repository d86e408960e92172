import SwormPredicates

extension TreeComparison {
    /// Saves trees past objects.
    ///
    /// - Parameters:
    ///   - trees: The trees.
    ///   - matched: The attributes that identify the roots; empty for those of the only constraint.
    /// - Returns: The numbers of objects; nil if the trees must be saved through objects. Nothing was written in that case.
    /// - Throws: The error of a store that cannot be read or written now. A save through objects would fail too, and later.
    static func save<Tree: ManagedTreeConvertible>(
        _ trees: [Tree], on matched: [PartialKeyPath<Tree>], in context: NSManagedObjectContext, bindings: BindingCache
    ) throws -> TreeSaveResult? {
        do {
            let plan = Tree.treePlan
            if context.hasChanges { return nil }
            try plan.check()
            for plan in plan.family where try !plan.readsRows(bindings) { return nil }
            let binding = try bindings.binding(for: Tree.self)
            let comparison = try context.withTreeSession(
                reading: plan.entities, for: RequestContent(), of: binding.entity
            ) { session in
                let comparison = TreeComparison(in: session, context: context, bindings: bindings)
                try comparison.compareRoots(trees, on: matched)
                try comparison.finish()
                return comparison
            }
            guard let comparison else { return nil }
            if comparison.changes.isEmpty { return comparison.result }
            return try comparison.changes.write(to: context, of: binding.entity) ? comparison.result : nil
        } catch {
            let failure = translatedError(error)
            if failure is CancellationError { throw failure }
            if let code = (failure as? StoreError)?.code, !dataErrors.contains(code) { throw failure }
            // A save through objects decides the case, or reports the error with its position in the trees.
            return nil
        }
    }

    /// The errors of values and tables, which depend on the way in which trees are saved.
    private static var dataErrors: Set<StoreError.Code> {
        [
            .validation, .uniquenessViolation, .conflict, .objectNotFound, .objectDeleted, .unsupported,
            .invalidRequest, .invalidTable, .invalidCondition, .unknownKeyPath, .unknownName, .contractViolation,
        ]
    }

    private func compareRoots<Tree: ManagedTreeConvertible>(
        _ trees: [Tree], on matched: [PartialKeyPath<Tree>]
    ) throws {
        let binding = try bindings.binding(for: Tree.self)
        let source = WholeChild<Tree>()
        let indices = try matched.isEmpty ? nil : matched.map { try binding.mapping.index(of: $0) }
        let identity = try binding.identity(matched: indices, in: context, name: "\(Tree.self)")
        let comparer = try source.comparer(keys: identity.attributes, in: binding)
        let found = try roots(trees, by: identity, comparer: comparer, in: binding)
        let links = LevelLinks(of: found.rows, source.links)
        var level = ComparedTrees<Tree>(links: source.links)
        var known: [TreeRow] = []
        let saved = found.rows?.saved ?? []
        let addresses = found.rows?.addresses
        try trees.withUnsafeBufferPointer { buffer in
            for (index, row) in found.places.enumerated() {
                guard let start = buffer.baseAddress else { return }
                guard row >= 0, let stored = addresses?[row] else {
                    guard try source.hasNewVersion(start + index, as: binding) else { throw NeedsObjects() }
                    let new = try changes.insert(source.written(start + index, as: binding), as: binding)
                    level.add(buffer[index], at: new, links: [])
                    continue
                }
                let old = saved[row]
                known.append(old)
                if try !comparer.isSame(start + index, as: stored) {
                    try update(old, to: start + index, from: stored, of: source, in: binding)
                }
                level.add(buffer[index], at: old, links: links[row])
            }
        }
        guard Set(known.map(\.key)).count == known.count else { throw NeedsObjects() }
        note(known, of: binding.entity.key, isWritten: true, isDistinct: true)
        try compareBranches(of: level)
    }

    /// Returns the rows of the roots, and the index of each root among them, which is -1 for a new root.
    private func roots<Tree: ManagedTreeConvertible>(
        _ trees: [Tree], by identity: SaveIdentity, comparer: RowComparer, in binding: EntityBinding<Tree>
    ) throws -> (rows: TreeRows<Tree>?, places: [Int]) {
        let source = WholeChild<Tree>()
        if let identifier = Tree.treePlan.identifier {
            let references = trees.map(identifier)
            if references.contains(where: { $0 != nil }) {
                guard let plan = binding.treeRows else { throw NeedsObjects() }
                let keys = try references.map { try key(of: $0, in: binding) }
                let list = KeyList(keys)
                let rows = try session.rows(
                    of: RequestContent(), in: binding, plan: plan, columns: [], links: source.links,
                    source: .keys(list.keys))
                let places = list.places(of: rows.keys)
                let found = keys.indices.map { places[list.index($0)] }
                if found.contains(-1) { throw NeedsObjects() }
                return (rows, found)
            }
        }
        switch identity {
        case .new: return (nil, trees.map { _ in -1 })
        case .within, .position: throw NeedsObjects()
        case .constraint(_, let constraint):
            let list = nextList()
            let keys = try trees.withUnsafeBufferPointer { buffer in
                try buffer.indices.map { index in
                    try buffer.baseAddress.flatMap { try comparer.key($0 + index) }
                }
            }
            let given = keys.compactMap { $0 }
            let rows = try rows(with: given, of: constraint, as: source, in: binding)
            // Trees usually have the order of their rows.
            if let rows, rows.count == trees.count, try comparer.areInOrder(trees, of: rows.addresses) {
                return (rows, Array(trees.indices))
            }
            guard Set(given).count == given.count else { throw NeedsObjects() }
            let indices = try rows.map { try self.indices(of: $0, by: comparer) }
            let places = keys.map { $0.flatMap { indices?[$0] } ?? -1 }
            for (key, place) in zip(keys, places) where place < 0 {
                if let key { try note(newKey: key, of: constraint, in: list) }
            }
            return (rows, places)
        }
    }

    /// Returns the key of the row that an id names.
    func key<T>(of reference: ObjectReference?, in binding: EntityBinding<T>) throws -> Int64 {
        guard let reference, reference.storeIdentifier == session.storeIdentifier,
            reference.entityName == binding.entityName(of: binding.entity.key)
        else { throw NeedsObjects() }
        return reference.key
    }

    /// Compares the branches of trees whose values are written.
    func compareBranches<Tree: ManagedTreeConvertible>(
        of trees: ComparedTrees<Tree>, besides inverse: String? = nil
    ) throws {
        if trees.trees.isEmpty { return }
        let plan = Tree.treePlan
        try plan.checkSaving(bindings, besides: inverse)
        for branch in plan.branches where branch.relation != inverse { try branch.compare(trees, by: self) }
    }

    /// Updates a row whose values differ.
    func update<Source: ChildSource>(
        _ row: TreeRow, to given: UnsafePointer<Source.Value>, from stored: UnsafeRawPointer, of source: Source,
        in binding: EntityBinding<Source.Object>, movesVersion: Bool = false
    ) throws {
        let old = try source.written(stored.assumingMemoryBound(to: Source.Value.self), as: binding)
        let new = try source.written(given, as: binding)
        guard try changes.update(row, as: binding, from: old.map { $0 ?? .null }, to: new) else { return }
        result.updated += 1
        try touch(row, hasVersion: source.hasVersion || movesVersion)
    }
}
