import Foundation

/// Finds and removes external data files that no row refers to. Such files are left by processes that were killed, and
/// by replacements while another reader used an older state.
///
/// In a store that is mirrored to CloudKit, nothing is removed: the form in which the mirroring names its files is not
/// established, so no file is known to be unused.
///
/// Each run examines a bounded number of files and rows, and records where the next run continues. Only files of a
/// minimum age are removed. They are removed under the write lock, at a moment when every reader sees the newest state.
struct ExternalDataSearch {
    let files: StoreFiles
    let folder: ExternalDataFolder
    /// The store's identifier.
    let store: String
    let limits: ExternalDataLimits

    func run(_ open: OpenStore) throws {
        guard !open.isMirrored, files.hasOwnExternalData, var progress = SearchProgress(files, store: store) else {
            return
        }
        let now = limits.date()
        // A date in the future comes from a clock that was wrong.
        if let finished = progress.finished, (0..<limits.searchInterval).contains(now.timeIntervalSince(finished)) {
            return
        }
        progress.finished = nil
        let old = now.addingTimeInterval(-limits.minimumAge)
        let isWhole = progress.files.isEmpty && progress.entry == 0
        if progress.files.isEmpty {
            let part = folder.files(olderThan: old, at: progress.entry, limit: limits.filesPerOpening)
            (progress.files, progress.entry) = part
            progress.position = FileReferences.Position()
            if progress.files.isEmpty {
                // A folder with few files, none of them old, is listed at each opening, so there is no progress to
                // record.
                guard !isWhole || progress.entry != 0 else { return }
                if progress.entry == 0 { progress.finished = now }
                return try progress.note(files)
            }
        }
        try open.pool.withFreeWriter { connection in
            try connection.atNewestState {
                try open.pool.checkFile()
                if try MirroringTables.first(on: connection) == nil {
                    try search(on: connection, in: open, progress: &progress, old: old, now: now, isWhole: isWhole)
                }
            }
        }
    }

    /// - Parameter isWhole: Whether no earlier opening has examined a part of the folder.
    private func search(
        on connection: StoreConnection, in open: OpenStore, progress: inout SearchProgress, old: Date, now: Date,
        isWhole: Bool
    ) throws {
        let references = try FileReferences(connection)
        if progress.tables != references.tables || !references.tables.indices.contains(progress.position.table) {
            progress.tables = references.tables
            progress.position = FileReferences.Position()
        }
        let count = progress.files.count
        let (next, rows) = try references.removeNamed(
            from: &progress.files, at: progress.position, limit: limits.rowsPerOpening)
        if let next {
            progress.position = next
            return try progress.note(files)
        }
        // A file that was modified since then was added from outside, and a row that refers to it may follow.
        let unused = progress.files.filter { folder.isOlder($0, than: old) }
        if !unused.isEmpty, !files.sharesExternalData {
            if open.pool.kind == .single { try files.synchronizeCommits() }
            folder.remove(unused)
        }
        // The search of a small store is fast enough for every opening.
        let isSmall = 10 * count <= limits.filesPerOpening && 10 * rows <= limits.rowsPerOpening
        if isSmall, isWhole, progress.entry == 0 { return SearchProgress.forget(files) }
        progress.files = []
        progress.position = FileReferences.Position()
        if progress.entry == 0 { progress.finished = now }
        try progress.note(files)
    }
}
