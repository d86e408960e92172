import Foundation

extension SQLiteTransaction {
    /// The external files that a transaction has written and replaced.
    struct Files {
        var written: [UUID] = []
        var replaced: Set<UUID> = []
    }

    /// A moment to which the transaction can be rolled back.
    struct Mark {
        var files: Files
        var history: WrittenHistory
        var changes: ChangeGatherer.Mark?
    }
}
