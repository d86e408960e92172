import SwormStore

/// The conflicts that one save settled, all of them under one write lock. It detects when another attempt cannot
/// succeed.
///
/// Settling conflicts can cause more of them: a cascade reaches rows that were also changed, and an object that was
/// united with a row passes its new unique values to the objects that refer to it. Therefore the settled request is
/// compared with the store again until no conflict is left. This terminates. No other connection writes in the
/// meantime, and each attempt is undone, so all attempts see the same store:
///
/// - A row is settled once: afterwards its object expects the version that is in the store, or no row at all.
/// - A constraint conflict is settled by uniting an inserted object with an existing row, or with another inserted
///   object. Each pass over constraints therefore has at least one insertion less than the pass before. New insertions
///   only result from deleted rows, once for each row. So the number of these passes is at most the number of objects in
///   the save.
/// - A link conflict consists of a row, a relationship and another row. Their number is finite, and a pass that only
///   finds link conflicts that were already settled makes no progress: it ends the save with an error.
struct SettledConflicts {
    private enum Conflict: Hashable {
        case row(RowID)
        case link(RowID, Int, RowID, isDeletion: Bool)
        case member(RowID, Int, RowID)
        case constraint(RowID, RowID)
    }

    private var settled: Set<Conflict> = []

    /// Records conflicts that are about to be settled, and returns whether one of them is new.
    mutating func note(_ conflicts: MetConflicts) -> Bool {
        switch conflicts {
        case .rows(let rows): insert(rows.conflicts.map { .row($0.row) })
        case .constraints(let constraints): insert(constraints.conflicts.map { .constraint($0.row, $0.existing) })
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

/// The conflicts of one kind that an attempt to write detected.
enum MetConflicts {
    case rows(SaveConflicts)
    case links(LinkConflicts)
    case constraints(UniquenessConflicts)

    /// Creates the conflicts that an error reports; nil for any other error.
    init?(_ error: any Error) {
        switch error {
        case let rows as SaveConflicts: self = .rows(rows)
        case let links as LinkConflicts: self = .links(links)
        case let constraints as UniquenessConflicts: self = .constraints(constraints)
        default: return nil
        }
    }
}
