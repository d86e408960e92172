import Foundation

extension ManagedObjectContext {
    /// Saves a tree: inserts its objects, or writes what differs from the objects that exist.
    ///
    /// ```swift
    /// try store.perform { try $0.save(page) }
    /// ```
    /// - Parameters:
    ///   - tree: The tree.
    ///   - attributes: The attributes that identify the root, those of a uniqueness constraint. You may omit them if the
    ///     entity has only one constraint, or the tree has an id; see ``Branch/id(_:)``. Without any, the root is new.
    /// - Returns: A handle to the root.
    /// - Throws: The errors of ``save(contentsOf:on:repeats:replacing:)``.
    @discardableResult
    public func save<Tree: ManagedTreeConvertible>(
        _ tree: Tree, on attributes: any PartialKeyPath<Tree> & Sendable...
    ) throws -> ManagedObject<Tree.Entity> {
        let family = try savingFamily(of: Tree.self)
        let root = try family.saving { saver in
            let nodes = try saver.add([tree], from: nil, on: attributes)
            try saver.write()
            return nodes.first?.object
        }
        guard let root else {
            throw StoreError(.objectNotFound, "The tree has no object.", entity: Tree.Entity.entityName)
        }
        return ManagedObject(root, in: family)
    }

    /// Saves trees: inserts new objects, writes what differs in known ones, and links, unlinks and deletes by the roles of
    /// the branches.
    ///
    /// ```swift
    /// let result = try store.perform { try $0.save(contentsOf: pages) }
    /// print(result.isEmpty)   // true if nothing had changed
    /// ```
    /// Objects are identified by ids, by the attributes of `on:` and ``BranchOption/matched(by:)``, or by the only uniqueness
    /// constraint whose attributes are all in the tree. Properties that a tree leaves out are not changed. The trees are taken a thousand
    /// at a time; an object that is in one of these parts more than once is written once.
    ///
    /// - Parameters:
    ///   - trees: The trees.
    ///   - attributes: The attributes that identify the roots, those of a uniqueness constraint. You may omit them if the
    ///     entity has only one constraint, or the trees have ids.
    ///   - repeats: The policy for an object that is in the trees more than once.
    ///   - request: A request for objects that are deleted unless they are roots of the trees; nil to delete none.
    /// - Returns: The numbers of objects.
    /// - Throws: A ``StoreError`` with the position in the trees in ``StoreError/path``: with the code `validation` for invalid
    ///   values, of which ``StoreError/issues`` has all, for different values of one object, and for a child of an owner that
    ///   is not in the trees; `objectNotFound` for an unknown object of a branch that links only; `conflict` for an outdated
    ///   version, or for changes that were committed since the first read of the `perform`; and `invalidTable` for a branch
    ///   without a role. Nothing of this call is kept in that case, and the `perform` may continue.
    @discardableResult
    public func save<Tree: ManagedTreeConvertible>(
        contentsOf trees: some Sequence<Tree>, on attributes: any PartialKeyPath<Tree> & Sendable...,
        repeats: RepeatPolicy = .equal, replacing request: Request<Tree.Entity>? = nil
    ) throws -> TreeSaveResult {
        let family = try savingFamily(of: Tree.self)
        return try saveParts(
            of: trees, in: family, on: attributes, repeats: repeats, replacing: request, isPreview: false
        ).result
    }

    /// Returns the changes that a save of trees would make, without making them.
    ///
    /// - Parameters:
    ///   - trees: The trees.
    ///   - attributes: The attributes that identify the roots; see ``save(contentsOf:on:repeats:replacing:)``.
    ///   - repeats: The policy for an object that is in the trees more than once.
    ///   - request: A request for objects that are deleted unless they are roots of the trees; nil to delete none.
    /// - Throws: The errors of the save.
    public func plan<Tree: ManagedTreeConvertible>(
        saving trees: some Sequence<Tree>, on attributes: any PartialKeyPath<Tree> & Sendable...,
        repeats: RepeatPolicy = .equal, replacing request: Request<Tree.Entity>? = nil
    ) throws -> SavePreview {
        let family = try family(of: Tree.Entity.self)
        let (result, changes) = try saveParts(
            of: trees, in: family, on: attributes, repeats: repeats, replacing: request, isPreview: true)
        return SavePreview(result: result, changes: changes)
    }

    /// Saves a batch of a longer sequence.
    ///
    /// - Parameter first: The position of the first tree in the sequence.
    func saveBatch<Tree: ManagedTreeConvertible>(
        of trees: [Tree], from first: Int, on attributes: [any PartialKeyPath<Tree> & Sendable], repeats: RepeatPolicy
    ) throws -> TreeSaveResult {
        let family = try savingFamily(of: Tree.self)
        return try saveParts(
            of: trees, in: family, from: first, on: attributes, repeats: repeats, replacing: nil, isPreview: false
        ).result
    }

    private func savingFamily<Tree: ManagedTreeConvertible>(of type: Tree.Type) throws -> HandleStorage<Tree.Entity> {
        try scope.checkWriting(Tree.Entity.entityName, id: nil)
        return try family(of: Tree.Entity.self)
    }

    private func saveParts<Tree: ManagedTreeConvertible>(
        of trees: some Sequence<Tree>, in family: HandleStorage<Tree.Entity>, from start: Int = 0,
        on attributes: [any PartialKeyPath<Tree> & Sendable], repeats: RepeatPolicy,
        replacing request: Request<Tree.Entity>?, isPreview: Bool
    ) throws -> (result: TreeSaveResult, changes: [SavePreview.Change]) {
        let before = Checkpoint(of: instance)
        var result = TreeSaveResult()
        var changes: [SavePreview.Change] = []
        // The state of the transactions before the first part, if further ones may follow.
        var marks: TransactionMarks?
        do {
            var gone =
                try request.map { request in
                    try request.content.isEmpty()
                        ? []
                        : translatingErrors {
                            try instance.fetchObjects(request.content, of: binding(for: Tree.Entity.self).entity)
                        }
                } ?? []
            var iterator = trees.makeIterator()
            var first = start
            var isEnded = false
            while !isEnded {
                var part: [Tree] = []
                while part.count < TreeReader.partSize {
                    guard let tree = iterator.next() else {
                        isEnded = true
                        break
                    }
                    part.append(tree)
                }
                if !isPreview, scope.allowsBulkWriting, part.count == TreeReader.partSize, marks == nil {
                    marks = TransactionMarks(of: instance)
                }
                if request == nil, !isPreview, let saved = try savePastObjects(part, on: attributes) {
                    result += saved
                    first += part.count
                    continue
                }
                let saver = family.treeSaver(repeats: repeats, isPreview: isPreview)
                try translatingErrors {
                    try saver.add(part, from: first, on: attributes)
                    saver.replaced = Set(gone.map(ObjectIdentifier.init))
                    gone.removeAll { saver.node(of: $0) != nil }
                    try saver.write(deleting: isEnded ? gone : [])
                }
                result += saver.result
                changes += saver.changes
                first += part.count
            }
        } catch {
            if let marks {
                try translatingErrors { try instance.undoTransactions(to: marks) { instance.restore(before) } }
            } else {
                instance.restore(before)
            }
            throw error
        }
        if let marks { try translatingErrors { try instance.release(marks) } }
        if isPreview { instance.restore(before) }
        return (result, changes)
    }

    /// Saves a part of a sequence past objects. Returns nil if that needs objects.
    private func savePastObjects<Tree: ManagedTreeConvertible>(
        _ part: [Tree], on attributes: [any PartialKeyPath<Tree> & Sendable]
    ) throws -> TreeSaveResult? {
        guard scope.allowsBulkWriting else { return nil }
        return try TreeComparison.save(part, on: attributes, in: instance, bindings: bindings)
    }
}
