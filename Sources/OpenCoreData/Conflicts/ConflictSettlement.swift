import SwormPredicates
import SwormStore

/// The conflicts of a save, settled by a merge policy: a new request, and what the context's objects take over for it.
///
/// It is a value made of values. It reads no store, knows no object, and asks no clock: the same request, conflicts, policy
/// and rows always give the same request. The consequences for the rest of the graph, through inverse relationships, cascades
/// and validation, are the context's business; conflicts that come of them are settled in their turn.
struct ConflictSettlement {
    /// A change that the context makes to its object for a row. The values are those of the new request.
    enum Step: Hashable {
        /// The object takes over the store's row. Its unsaved changes are those of the request.
        case merge(RowID)
        /// The object takes over the store's row, and loses its unsaved changes.
        case rollBack(RowID)
        /// The object is inserted anew under the key that it had.
        case insertAnew(RowID)
        /// The row was deleted in the store, and stays so.
        case forget(RowID)
        /// The object is not deleted after all. Of one whose row was changed nothing else is saved, either.
        case takeBackDeletion(RowID, isRolledBack: Bool)
        /// The object is deleted, by a delete rule of one that leads to it.
        case delete(RowID)
        /// A delete rule denies the deletion because of members that the object does not know of.
        case deny(RowID, relationship: Int)
        /// One side of a relationship between two objects leads elsewhere.
        case lead(RowID, relationship: Int, to: RowID?)
        /// A to-one relationship leads where the store says.
        case takeBack(RowID, relationship: Int)
        /// An inserted object and a row of the store become one.
        case unite(RowID, with: RowID)
    }

    let policy: NSMergePolicyType
    let model: CompiledModel
    /// The rows that are known as the store holds them.
    let fresh: FreshRows
    private(set) var steps: [Step] = []
    var insertions: RowChanges<SaveRequest.Insertion>
    var updates: RowChanges<SaveRequest.Update>
    var deletions: RowChanges<SaveRequest.Deletion>
    private let original: SaveRequest
    /// The rows that were deleted in the store.
    var missing: Set<RowID> = []
    /// The rows to which nothing leads any more.
    private var forgotten: Set<RowID> = []
    /// The rows whose links are left as they are in the store.
    private var unlinked: Set<RowID> = []
    /// The rows that inserted objects have become, by the rows of the objects.
    private var united: [RowID: RowID] = [:]

    init(of request: SaveRequest, by policy: NSMergePolicyType, fresh: FreshRows) {
        self.policy = policy
        self.fresh = fresh
        model = fresh.model
        original = request
        insertions = RowChanges(request.insertions, row: \.row, model: model)
        updates = RowChanges(request.updates, row: \.row, model: model)
        deletions = RowChanges(request.deletions, row: \.row, model: model)
    }

    /// The request with the conflicts settled.
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

    /// Lets nothing of the request lead to a row.
    mutating func forget(_ row: RowID) { forgotten.insert(model.identity(of: row)) }

    /// Leaves out the links of a row that the request adds and removes.
    mutating func leaveLinks(of row: RowID) { unlinked.insert(model.identity(of: row)) }

    /// Lets everything that leads to an inserted object lead to a row of the store.
    mutating func replace(_ row: RowID, by other: RowID) {
        united[model.identity(of: row)] = other
    }

    /// The row that is led to in the end; nil for one to which nothing leads any more.
    func living(_ row: RowID?) -> RowID? {
        guard let row else { return nil }
        let identity = model.identity(of: row)
        return forgotten.contains(identity) ? nil : united[identity] ?? row
    }

    private func kept(_ link: SaveRequest.Link) -> SaveRequest.Link? {
        guard !unlinked.contains(model.identity(of: link.owner)),
            !unlinked.contains(model.identity(of: link.destination)),
            let owner = living(link.owner), let destination = living(link.destination)
        else { return nil }
        return SaveRequest.Link(owner: owner, relationship: link.relationship, destination: destination)
    }

    // MARK: Rows

    /// Whether a row is in the store, or will be, and can be led to.
    func isThere(_ row: RowID) -> Bool {
        if insertions.contains(row) { return true }
        if deletions.contains(row) || missing.contains(model.identity(of: row)) { return false }
        return updates.contains(row) || fresh[row] != nil
    }

    /// The row to which a to-one relationship leads when the request is written.
    func destination(of row: RowID, _ slot: Int) -> RowID? {
        if let insertion = insertions[row] { return living(insertion.toOnes[slot]) }
        if let change = updates[row]?.toOnes.first(where: { $0.slot == slot }) { return living(change.destination) }
        return living(fresh[row]?.toOnes[slot])
    }

    /// Lets one side of a to-one relationship lead to another row.
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
    /// Whether what the context has prevails over what the store holds, where the two differ.
    var contextPrevails: Bool {
        self == .overwriteMergePolicyType || self == .mergeByPropertyObjectTrumpMergePolicyType
    }
}
