/// How the files of a store are changed: those that are our own by calls, those of SQLite through one of its file systems.
package struct StoreDisk: Sendable {
    package var calls: any FileCalls
    /// The name of the file system that SQLite uses; nil for its standard one.
    package var fileSystem: String?

    package init(calls: any FileCalls = SystemFileCalls(), fileSystem: String? = nil) {
        self.calls = calls
        self.fileSystem = fileSystem
    }

    /// The disk as it is.
    package static let system = StoreDisk()
}
