/// The interface to the disk through which the files of a store change: a set of calls for the library's own files, and
/// a file system of SQLite for SQLite's files.
package struct StoreDisk: Sendable {
    package var calls: any FileCalls
    /// The name of the file system that SQLite uses, or nil for the default one.
    var fileSystem: String?

    init(calls: any FileCalls = SystemFileCalls(), fileSystem: String? = nil) {
        self.calls = calls
        self.fileSystem = fileSystem
    }

    /// The unmodified disk.
    package static let system = StoreDisk()
}
