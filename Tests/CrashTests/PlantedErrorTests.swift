import Foundation
import Testing

/// The checker finds what it is made to find.
@Suite("Planted errors that lose data in a crash")
struct PlantedErrorTests {
    @Test(arguments: PlantedError.allCases)
    func `a planted issue is found`(_ issue: PlantedError) throws {
        let campaign = try CrashCampaign(seed: 4)
        let (kind, store) = issue.stage
        for seed in 1...8 as ClosedRange<UInt64> {
            var run = try kind.run(store, seed: seed)
            guard issue.plant(in: &run.record) else { continue }
            if !campaign.issues(of: CrashChecker(run, seed: seed), 0..<100, limit: 1).isEmpty { return }
        }
        Issue.record("\(issue) was not found")
    }
}

/// A issue that is planted into what a run has recorded, as if the run had made it.
enum PlantedError: CaseIterable, Sendable {
    case logNotSynchronized
    case databaseNotSynchronized
    case journalNotSynchronized
    case nameOfJournalNotSynchronized
    case externalFileNotSynchronized
    case nameOfExternalFileNotSynchronized
    case externalFileWrittenAfterCommit
    case externalFileRemovedBeforeCheckpoint
    case copyRenamedBeforeItIsSynchronized
    case nameOfCopyNotSynchronized
    case filesOfBackupNotSynchronized
    case commitWrittenAfterSynchronization
    case logCutBeforeCheckpoint
    case oldFilesRemovedBeforeReplacement

    /// The run into which it is planted.
    var stage: (kind: CrashKind, store: CrashStore) {
        switch self {
        case .logNotSynchronized, .externalFileNotSynchronized, .nameOfExternalFileNotSynchronized,
            .externalFileWrittenAfterCommit, .commitWrittenAfterSynchronization:
            (.writing, .init(synchronous: .full))
        case .databaseNotSynchronized, .externalFileRemovedBeforeCheckpoint, .logCutBeforeCheckpoint:
            (.checkpoints, .init())
        case .filesOfBackupNotSynchronized: (.writing, .init())
        case .journalNotSynchronized, .nameOfJournalNotSynchronized:
            (.writing, .init(journal: .delete, synchronous: .full))
        case .copyRenamedBeforeItIsSynchronized, .nameOfCopyNotSynchronized: (.stagedMigration, .init())
        case .oldFilesRemovedBeforeReplacement: (.migration, .init())
        }
    }

    /// - Returns: Whether there was something to change.
    func plant(in record: inout CrashRecord) -> Bool {
        let count = record.changes.count
        var moves = false
        let names = record.namesOfFiles
        func isExternal(_ path: String) -> Bool { path.contains("_EXTERNAL_DATA/") }
        func remove(_ isMeant: (DiskChange) -> Bool) { record.changes.removeAll(where: isMeant) }
        func removeSynchronization(where isMeant: (String) -> Bool) {
            remove { change in
                guard case .synchronize(let file) = change else { return false }
                return isMeant(names[file] ?? "")
            }
        }
        switch self {
        case .logNotSynchronized: removeSynchronization { $0.hasSuffix("-wal") }
        case .databaseNotSynchronized: removeSynchronization { $0 == "Store.sqlite" }
        case .journalNotSynchronized: removeSynchronization { $0.hasSuffix("-journal") }
        case .externalFileNotSynchronized: removeSynchronization(where: isExternal)
        case .copyRenamedBeforeItIsSynchronized: removeSynchronization { $0.contains(".migrating/") && !isExternal($0) }
        case .filesOfBackupNotSynchronized:
            removeSynchronization { $0.hasPrefix(".Backup.sqlite.migrating") && isExternal($0) }
        case .nameOfJournalNotSynchronized, .nameOfCopyNotSynchronized:
            remove { if case .synchronizeFolder("") = $0 { true } else { false } }
        case .nameOfExternalFileNotSynchronized:
            remove { if case .synchronizeFolder(let path) = $0 { path.hasSuffix("_EXTERNAL_DATA") } else { false } }
        case .externalFileWrittenAfterCommit:
            moves = record.move { names, change in
                switch change {
                case .makeFile(let path, _): isExternal(path) && path.hasPrefix(".Store")
                case .write(let file, _, _), .synchronize(let file):
                    isExternal(names[file] ?? "") && names[file]?.hasPrefix(".Store") == true
                case .synchronizeFolder(let path): path.hasPrefix(".Store_SUPPORT")
                default: false
                }
            } behind: { _, change in
                if case .note = change { true } else { false }
            }
        case .commitWrittenAfterSynchronization:
            for index in record.changes.indices.dropFirst().reversed() {
                guard case .synchronize(let file) = record.changes[index], names[file]?.hasSuffix("-wal") == true,
                    case .write(file, _, _) = record.changes[index - 1]
                else { continue }
                record.changes.swapAt(index, index - 1)
                moves = true
            }
        case .externalFileRemovedBeforeCheckpoint:
            moves = record.moveForward { _, change in
                if case .removeFile(let path) = change { isExternal(path) && path.hasPrefix(".Store") } else { false }
            } before: { names, change in
                if case .synchronize(let file) = change { names[file] == "Store.sqlite-wal" } else { false }
            }
        case .logCutBeforeCheckpoint:
            moves = record.moveForward { names, change in
                if case .truncate(let file, _) = change { names[file] == "Store.sqlite-wal" } else { false }
            } before: { names, change in
                if case .synchronize(let file) = change { names[file] == "Store.sqlite" } else { false }
            }
        case .oldFilesRemovedBeforeReplacement:
            moves = record.moveForward { _, change in
                if case .removeFile(let path) = change { isExternal(path) } else { false }
            } before: { _, change in
                if case .rename(_, "Store.sqlite") = change { true } else { false }
            }
        }
        return moves || record.changes.count != count
    }
}

extension CrashRecord {
    /// Moves changes behind the next one of another kind.
    mutating func move(
        _ isMeant: ([Int: String], DiskChange) -> Bool, behind isGoal: ([Int: String], DiskChange) -> Bool
    ) -> Bool {
        let names = namesOfFiles
        var result: [DiskChange] = []
        var held: [DiskChange] = []
        var moves = false
        for change in changes {
            if isMeant(names, change) {
                held.append(change)
                continue
            }
            result.append(change)
            guard !held.isEmpty, isGoal(names, change) else { continue }
            result += held
            held = []
            moves = true
        }
        changes = result + held
        return moves
    }

    /// Moves changes before the last one of another kind that is before them.
    mutating func moveForward(
        _ isMeant: ([Int: String], DiskChange) -> Bool, before isGoal: ([Int: String], DiskChange) -> Bool
    ) -> Bool {
        let names = namesOfFiles
        var result: [DiskChange] = []
        var goal: Int?
        var moves = false
        for change in changes {
            if isMeant(names, change), let goal {
                result.insert(change, at: goal)
                moves = true
                continue
            }
            if isGoal(names, change) { goal = result.count }
            result.append(change)
        }
        changes = result
        return moves
    }
}
