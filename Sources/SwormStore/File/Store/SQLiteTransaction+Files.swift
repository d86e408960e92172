import Foundation

extension SQLiteTransaction {
    /// The external files that a transaction has written and replaced.
    struct Files {
        var written: [UUID] = []
        var replaced: Set<UUID> = []
    }
}
