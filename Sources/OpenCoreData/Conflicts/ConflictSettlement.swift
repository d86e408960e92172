import SwormPredicates
import SwormStore

/// The conflicts of a save, settled by a merge policy: a new request, and the changes that the context applies to its
/// objects.
///
/// This is a pure value. It reads no store, refers to no object, and does not depend on the time: the same request,
/// conflicts, policy and rows always produce the same request. The context handles the consequences for the rest of the
/// graph, such as inverse relationships, cascades and validation. Conflicts that result from them are settled in turn.
struct ConflictSettlement {
    /// A change that the context applies to its object for a row. The values are those of the new request.
    enum Step: Hashable {
        /// The object adopts the store's row. Its unsaved changes are those of the request.
        case merge(RowID)
        /// The object adopts the store's row and loses its unsaved changes.
        case rollBack(RowID)
        /// The object is inserted again under its previous key.
        case insertAnew(RowID)
        /// The row was deleted in the store and stays deleted.
        case forget(RowID)
        /// The deletion of the object is undone. If the object is rolled back, its other changes are not saved either.
        case takeBackDeletion(RowID, isRolledBack: Bool)
        /// The object is deleted by the delete rule of an object that refers to it.
        case delete(RowID)
        /// A delete rule denies the deletion because of members that the object does not know.
        case deny(RowID, relationship: Int)
        /// One side of a relationship between two objects refers to another row.
        case lead(RowID, relationship: Int, to: RowID?)
        /// A to-one relationship refers to the destination that it has in the store.
        case takeBack(RowID, relationship: Int)
        /// An inserted object is united with a row of the store, or with an object that was inserted before.
        case unite(RowID, with: RowID)
    }

    let policy: NSMergePolicyType
    let model: CompiledModel
    /// The rows whose current state in the store is known.
    let fresh: FreshRows
    private(set) var steps: [Step] = []
    var insertions: RequestChanges<SaveRequest.Insertion>
    var updates: RequestChanges<SaveRequest.Update>
    var deletions: RequestChanges<SaveRequest.Deletion>
    private let original: SaveRequest
    /// The rows that were deleted in the store.
    var missing: Set<RowID> = []
    /// The rows that are no longer referenced.
    private var forgotten: Set<RowID> = []
    /// The rows whose links stay as they are in the store.
    private var unlinked: Set<RowID> = []
    /// The rows that inserted objects were united with, keyed by the rows of the objects.
    private var united: [RowID: RowID] = [:]

    init(of request: SaveRequest, by policy: NSMergePolicyType, fresh: FreshRows) {
        self.policy = policy
        self.fresh = fresh
        model = fresh.model
        original = request
        insertions = RequestChanges(request.insertions, row: \.row, model: model)
        updates = RequestChanges(request.updates, row: \.row, model: model)
        deletions = RequestChanges(request.deletions, row: \.row, model: model)
    }

    /// The request with all conflicts settled.
    var request: SaveRequest {
        var request = original
        request.insertions = insertions.all
        for index in request.insertions.indices {
            request.insertions[index].toOnes = request.insertions[index].toOnes.map { living($0) }
        }
        request.updates = updates.all.filter { !$0.attributes.isEmpty || !$0.toOnes.isEmpty }
        for index in request.updates.indices {
            request.updates[index].toOnes = request.updates[index].toOnes.map { ($0.slot, living($0.destination)) }
        }
        request.deletions = deletions.all
        request.addedLinks = original.addedLinks.compactMap(kept)
        request.removedLinks = original.removedLinks.compactMap(kept)
        request.positions = original.positions.compactMap { position in
            kept(position.link).map { SaveRequest.Position(link: $0, orderKey: position.orderKey) }
        }
        return request
    }

    mutating func note(_ step: Step) { steps.append(step) }

    // MARK: Links

    /// Removes every reference to a row from the request.
    mutating func forget(_ row: RowID) { forgotten.insert(model.identity(of: row)) }

    /// Leaves out the links of a row that the request adds and removes.
    mutating func leaveLinks(of row: RowID) { unlinked.insert(model.identity(of: row)) }

    /// Redirects every reference to an inserted object to another row.
    mutating func replace(_ row: RowID, by other: RowID) {
        united[model.identity(of: row)] = other
    }

    /// Returns the row that a reference finally points to; nil for a row that is no longer referenced.
    func living(_ row: RowID?) -> RowID? {
        guard var row else { return nil }
        // An object may be united with one that is then united with a row.
        while let next = united[model.identity(of: row)] { row = next }
        return forgotten.contains(model.identity(of: row)) ? nil : row
    }

    private func kept(_ link: SaveRequest.Link) -> SaveRequest.Link? {
        guard !unlinked.contains(model.identity(of: link.owner)),
            !unlinked.contains(model.identity(of: link.destination)),
            let owner = living(link.owner), let destination = living(link.destination)
        else { return nil }
        return SaveRequest.Link(owner: owner, relationship: link.relationship, destination: destination)
    }

    // MARK: Rows

    /// Returns whether a row is or will be in the store, so that references to it are valid.
    func exists(_ row: RowID) -> Bool {
        if insertions.contains(row) { return true }
        if deletions.contains(row) || missing.contains(model.identity(of: row)) { return false }
        return updates.contains(row) || fresh[row] != nil
    }

    /// Returns the destination of a to-one relationship after the request is written.
    func destination(of row: RowID, _ slot: Int) -> RowID? {
        if let insertion = insertions[row] { return living(insertion.toOnes[slot]) }
        if let change = updates[row]?.toOnes.first(where: { $0.slot == slot }) { return living(change.destination) }
        return living(fresh[row]?.toOnes[slot])
    }

    /// Sets the destination of one side of a to-one relationship.
    mutating func lead(_ row: RowID, by slot: Int, to destination: RowID?) {
        if insertions.contains(row) {
            insertions[row]?.toOnes[slot] = destination
        } else {
            if !updates.contains(row) {
                updates[row] = SaveRequest.Update(
                    row: row, version: fresh[row]?.version, attributes: SlotValues(), toOnes: [])
            }
            updates[row]?.toOnes.removeAll { $0.slot == slot }
            updates[row]?.toOnes.append((slot, destination))
        }
        note(.lead(row, relationship: slot, to: destination))
    }
}

extension NSMergePolicyType {
    /// Whether the context's values prevail over the store's values if they differ.
    var contextPrevails: Bool {
        self == .overwriteMergePolicyType || self == .mergeByPropertyObjectTrumpMergePolicyType
    }
}
