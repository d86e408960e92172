import Foundation

/// The progress of the search for unused files of a store, from one opening to the next.
///
/// A lost or wrong note costs only time, provided that it belongs to the file: it lists the files that were found to be
/// unused in the rows before a position, and no row starts to refer to an old file again.
struct SearchProgress: Codable, Sendable {
    /// The store's identifier. Together with the number of its file, it identifies the file to which the note belongs.
    private var store: String
    private var node: UInt64
    /// The columns that are searched.
    var tables: [FileReferences.Table] = []
    /// The files to which no row before the position refers.
    var files: Set<UUID> = []
    var position = FileReferences.Position()
    /// The position of the next folder entry, or 0 after the last one.
    var entry = 0
    /// The time at which every file had been inspected.
    var finished: Date?

    private static let largestNote: Int64 = 4 << 20

    /// Reads the progress that is recorded next to a store, or starts without progress if the note belongs to another
    /// file.
    init?(_ files: StoreFiles, store: String) {
        guard let node = FileStamp(path: files.main)?.node else { return nil }
        self.node = node
        self.store = store
        let note = files.searchNote
        guard let stamp = FileStamp(pathOfPlainFile: note), stamp.size <= Self.largestNote,
            let content = FileManager.default.contents(atPath: note),
            let known = try? JSONDecoder().decode(SearchProgress.self, from: content),
            known.node == node, known.store == store
        else { return }
        self = known
    }

    func note(_ files: StoreFiles) throws {
        try files.calls.replaceFile(JSONEncoder().encode(self), at: files.searchNote)
    }

    /// Makes the next search start without a pause.
    static func forget(_ files: StoreFiles) { files.calls.removeIfPresent(files.searchNote) }
}
