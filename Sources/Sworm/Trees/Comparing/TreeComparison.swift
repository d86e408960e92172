import SwormPredicates

/// A save of trees past objects: it compares them with rows in memory, and collects what differs.
///
/// It decides the usual cases: unchanged trees, changed attributes, new trees with all that is in them, new children of known
/// owners, links, and children that are no longer in a tree. It leaves all other cases, and invalid values, to a save through
/// objects, by throwing ``NeedsObjects``.
final class TreeComparison {
    let session: TreeSession
    let bindings: BindingCache
    let context: NSManagedObjectContext
    var changes: TreeChanges
    var result = TreeSaveResult()
    private var hierarchies: [EntityKey: Hierarchy] = [:]
    /// The known rows that are updated, or whose relations are changed, as rows of their hierarchy.
    private var touched: Set<TreeRow> = []
    /// The rows that leave an owner, as rows of their hierarchy, and must not be elsewhere in the trees.
    private var leaving: Set<TreeRow> = []
    private var newKeys: [NewKey: Int] = [:]
    private var lists = 0

    /// The rows of one hierarchy of entities in the trees.
    private struct Hierarchy {
        var levels = 0
        /// Whether all rows differ, because they are those of one level.
        var isDistinct = true
        /// The keys of the rows whose values are written.
        var written: [Int64] = []
        /// The keys of the rows that are only linked.
        var linked: [Int64] = []
    }

    private struct NewKey: Hashable {
        let entity: EntityKey
        let names: [String]
        let key: SaveKey
    }

    init(in session: TreeSession, context: NSManagedObjectContext, bindings: BindingCache) {
        (self.session, self.context, self.bindings) = (session, context, bindings)
        changes = TreeChanges(in: session)
    }

    // MARK: Notes

    /// Notes the known rows of one level.
    ///
    /// - Parameters:
    ///   - rows: The rows.
    ///   - entity: The entity of the level.
    ///   - isWritten: Whether their values are written.
    ///   - isDistinct: Whether no row is among them twice.
    func note(_ rows: [TreeRow], of entity: EntityKey, isWritten: Bool, isDistinct: Bool) {
        let root = changes.root(of: TreeRow(entity: entity, key: 0)).entity
        var hierarchy = hierarchies.removeValue(forKey: root) ?? Hierarchy()
        hierarchy.isDistinct = hierarchy.levels == 0 && isDistinct
        hierarchy.levels += 1
        if isWritten {
            hierarchy.written += rows.lazy.map(\.key)
        } else {
            hierarchy.linked += rows.lazy.map(\.key)
        }
        hierarchies[root] = hierarchy
    }

    /// Notes a known row that is changed.
    ///
    /// - Parameter hasVersion: Whether the tree has a version, which a save through objects compares and moves on.
    func touch(_ row: TreeRow, hasVersion: Bool) throws {
        if row.isNew { return }
        if hasVersion { throw NeedsObjects() }
        touched.insert(changes.root(of: row))
    }

    /// Notes a row that leaves its owner.
    func leave(_ row: TreeRow) throws {
        guard leaving.insert(changes.root(of: row)).inserted else { throw NeedsObjects() }
    }

    /// Returns a number for the list of children that is compared next.
    func nextList() -> Int {
        lists += 1
        return lists
    }

    /// Notes the unique values of a new row. If another list of the trees has them too, they are the same object.
    func note(newKey key: SaveKey, of constraint: ModelConstraint, in list: Int) throws {
        let key = NewKey(entity: constraint.entity.key, names: constraint.names, key: key)
        guard newKeys.updateValue(list, forKey: key) ?? list == list else { throw NeedsObjects() }
    }

    // MARK: The end

    /// Completes the result, and throws an error if rows are in the trees in more than one way that matters.
    func finish() throws {
        try changes.checkRequiredRelations()
        changes.touch(touched)
        var count = 0
        for (root, hierarchy) in hierarchies {
            count += hierarchy.isDistinct ? hierarchy.written.count : Set(hierarchy.written).count
            // A row that leaves its owner is no longer in its own level.
            if hierarchy.isDistinct || touched.isEmpty && leaving.isEmpty { continue }
            var seen: Set<TreeRow> = []
            for key in hierarchy.written {
                let row = TreeRow(entity: root, key: key)
                if leaving.contains(row) { throw NeedsObjects() }
                if touched.contains(row), !seen.insert(row).inserted { throw NeedsObjects() }
            }
            for key in hierarchy.linked where leaving.contains(TreeRow(entity: root, key: key)) { throw NeedsObjects() }
        }
        result.unchanged = count - result.updated
        result.inserted = changes.insertions
    }

    // MARK: Search

    /// Returns the rows with some keys; nil if there are no keys.
    func rows<Source: ChildSource>(
        with keys: [SaveKey], of constraint: ModelConstraint, as source: Source,
        in binding: EntityBinding<Source.Object>
    ) throws -> TreeRows<Source.Value>? {
        guard let plan = try source.rows(with: binding) else { throw NeedsObjects() }
        if keys.isEmpty { return nil }
        var request = RequestContent()
        request.narrow(constraint.condition(on: keys))
        let rows = try session.rows(
            of: request, in: binding, plan: plan, columns: [], links: source.links, source: .request)
        // An object keeps its entity: the error is that of a save through objects.
        guard !binding.mapping.isOwnCase || rows.saved.allSatisfy({ binding.represents($0.entity) }) else {
            throw NeedsObjects()
        }
        return rows
    }

    /// Returns the rows with some keys, and their indices; nil if there are no keys.
    func find<Source: ChildSource>(
        _ keys: [SaveKey], of constraint: ModelConstraint, as source: Source, in binding: EntityBinding<Source.Object>,
        comparer: RowComparer
    ) throws -> FoundRows<Source.Value>? {
        guard let rows = try rows(with: keys, of: constraint, as: source, in: binding) else { return nil }
        return FoundRows(rows: rows, saved: rows.saved, indices: try indices(of: rows, by: comparer))
    }

    /// Returns the index of each row, by its key.
    func indices<Value>(of rows: TreeRows<Value>, by comparer: RowComparer) throws -> [SaveKey: Int] {
        let addresses = rows.addresses
        var indices: [SaveKey: Int] = [:]
        for row in 0..<rows.count {
            if let place = addresses[row], let key = try comparer.key(place) { indices[key] = row }
        }
        return indices
    }
}
