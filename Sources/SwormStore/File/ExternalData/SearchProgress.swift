import Foundation

/// How far the search for unused files of a store has come, from one opening to the next.
///
/// A note that is lost or wrong costs time, as long as it belongs to the file: it names what was found to be unused in the
/// rows before a position, and no row comes to name an old file again.
struct SearchProgress: Codable, Sendable {
    /// The store's identifier and the number of its file.
    private var store: String
    private var node: UInt64
    /// The columns that are searched.
    var tables: [FileReferences.Table] = []
    /// The files that no row before a position names.
    var files: Set<UUID> = []
    var position = FileReferences.Position()
    /// The entry of the folder behind those that were looked at; 0 behind the last one.
    var entry = 0
    /// When every file had been looked at.
    var finished: Date?

    private static let largestNote: Int64 = 4 << 20

    /// The progress that is noted beside a store; none where the note belongs to another file.
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

    /// Lets the next search begin at once.
    static func forget(_ files: StoreFiles) { files.calls.removeIfPresent(files.searchNote) }
}
