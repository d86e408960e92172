import SwormStore

/// The conflicts that one save has settled, all of them under one write lock. It says when there is no point in going on.
///
/// Settling some conflicts can bring about more: a cascade reaches rows that were changed too, and an object that became
/// one with a row brings new unique values to those that refer to it. So the settled request is compared with the store
/// again, until there is nothing left. That comes to an end. Nobody else writes until then, and each try is undone, so that
/// the store is the same for all of them:
///
/// - A row is settled once: afterwards its object expects the version that the store holds, or no row at all.
/// - A constraint conflict is settled by making an inserted object one with a row that is there. Each pass over constraints
///   so has at least one insertion less than the one before. Insertions come about only by rows that were deleted, once
///   each. So there are no more such passes than there are objects in the save.
/// - A link conflict names a row, a relationship and another row. There are finitely many of them, and a pass that meets only
///   those that were settled before does not get anywhere: it ends the save with an error.
struct SettledConflicts {
    private enum Conflict: Hashable {
        case row(RowID)
        case link(RowID, Int, RowID, isDeletion: Bool)
        case member(RowID, Int, RowID)
        case constraint(RowID)
    }

    private var settled: Set<Conflict> = []

    /// Takes note of conflicts that are going to be settled. Returns whether one of them is new.
    mutating func note(_ conflicts: MetConflicts) -> Bool {
        switch conflicts {
        case .rows(let rows): insert(rows.conflicts.map { .row($0.row) })
        case .constraints(let constraints): insert(constraints.conflicts.map { .constraint($0.row) })
        case .links(let links):
            insert(
                links.conflicts.map {
                    .link($0.row, $0.relationship, $0.destination, isDeletion: $0.isDeletion)
                } + links.members.map { .member($0.owner, $0.relationship, $0.member) })
        }
    }

    private mutating func insert(_ conflicts: [Conflict]) -> Bool {
        let count = settled.count
        settled.formUnion(conflicts)
        return settled.count > count
    }
}

/// The conflicts of one kind that a try to write has met.
enum MetConflicts {
    case rows(SaveConflicts)
    case links(LinkConflicts)
    case constraints(UniquenessConflicts)

    /// The conflicts that an error reports; nil for any other error.
    init?(_ error: any Error) {
        switch error {
        case let rows as SaveConflicts: self = .rows(rows)
        case let links as LinkConflicts: self = .links(links)
        case let constraints as UniquenessConflicts: self = .constraints(constraints)
        default: return nil
        }
    }
}
