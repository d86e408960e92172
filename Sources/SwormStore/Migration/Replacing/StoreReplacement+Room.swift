import Foundation

extension StoreReplacement {
    /// Throws an error unless the disk has space for the given number of bytes, plus a small reserve.
    func requireRoom(_ bytes: Int64) throws { try files.requireRoom(bytes + 1 << 16, options: options) }

    /// The additional bytes that the store's own log needs when it is finally checkpointed into the file.
    func sizeOfLog() throws -> Int64 {
        guard let size = try sizeOfStore() else { return 0 }
        return max(0, size - (FileStamp(path: files.main)?.size ?? size))
    }

    /// Throws an error unless there is space for a new store that is made object by object from the present one.
    ///
    /// The size of the new store is unknown: it may contain more or less. Its log is checkpointed repeatedly, but can
    /// grow to a size that is independent of the store's, because it contains a copy of a page for every write until
    /// the next checkpoint.
    func requireRoomForNewStore() throws {
        let size = try sizeOfPresent()
        try requireRoom(try sizeOfCopy() + size + size / 8 + Self.log(of: size) + sizeOfNewFiles())
    }

    /// Throws an error unless there is space for a copy in which everything may change at once; the changes are in its
    /// log then.
    func requireRoomForEditing() throws {
        let size = try sizeOfPresent()
        try requireRoom(try sizeOfCopy() + size / 8 + max(size, Self.log(of: size)))
    }

    /// Returns the size of the log of a store that is written by many saves. SQLite checkpoints the log into the file
    /// once it exceeds four megabytes; a single save may write somewhat more.
    private static func log(of size: Int64) -> Int64 { min(4 * size, 6 << 20) }

    /// The size of a copy of the store; zero if the copy already exists.
    private func sizeOfCopy() throws -> Int64 { current == nil ? try sizeOfPresent() : 0 }

    private func sizeOfPresent() throws -> Int64 { try current?.size ?? sizeOfStore() ?? 0 }

    /// The disk space that the large values passed on to the new store need: none if the file system supports hard
    /// links.
    private func sizeOfNewFiles() -> Int64 {
        let folder = ExternalDataFolder(path: (current ?? files).externalData)
        guard let first = Self.names(in: (current ?? files).externalData).first, let file = folder.file(first) else {
            return 0
        }
        let probe = self.folder.path + "/link"
        defer { files.calls.removeIfPresent(probe) }
        return (try? files.calls.link(file, to: probe)) != nil ? 0 : Self.externalSize(of: current ?? files)
    }

    /// Returns the disk space that a store's files of external data use, in bytes.
    static func externalSize(of files: StoreFiles) -> Int64 {
        let folder = ExternalDataFolder(path: files.externalData)
        return names(in: files.externalData).compactMap { folder.file($0) }
            .reduce(0) { $0 + ((FileStamp(path: $1)?.boundedSize ?? 0) + 4095) / 4096 * 4096 }
    }
}
