import Foundation

extension StoreReplacement {
    /// Refuses to go on without so much room, and some for what is small.
    func requireRoom(_ bytes: Int64) throws { try files.requireRoom(bytes + 1 << 16, options) }

    /// What the store's own log takes once more, when it is emptied into the file in the end.
    func sizeOfLog() throws -> Int64 {
        guard let size = try sizeOfStore() else { return 0 }
        return max(0, size - (FileStamp(path: files.main)?.size ?? size))
    }

    /// Asks for the room of a new store that is made of the present one by objects.
    ///
    /// What it takes, nobody knows: it may have more in it, or less. Its log is emptied into it again and again, but may grow
    /// to a size that does not depend on the store's, and has every page that is written several times until then.
    func requireRoomForNewStore() throws {
        let size = try sizeOfPresent()
        try requireRoom(try sizeOfCopy() + size + size / 8 + Self.log(of: size) + sizeOfNewFiles())
    }

    /// Asks for the room of a copy in which all may be changed at once, which stands in its log then.
    func requireRoomForEditing() throws {
        let size = try sizeOfPresent()
        try requireRoom(try sizeOfCopy() + size / 8 + max(size, Self.log(of: size)))
    }

    /// What the log of a store takes that is written by many saves. SQLite empties it into the file from four megabytes on;
    /// a save may write some more at once.
    private static func log(of size: Int64) -> Int64 { min(4 * size, 6 << 20) }

    /// What a copy of the store takes, where there is none yet.
    private func sizeOfCopy() throws -> Int64 { current == nil ? try sizeOfPresent() : 0 }

    private func sizeOfPresent() throws -> Int64 { try current?.size ?? sizeOfStore() ?? 0 }

    /// What large values take that are handed on: nothing, where a file can have a second name.
    private func sizeOfNewFiles() -> Int64 {
        let folder = ExternalDataFolder(path: (current ?? files).externalData)
        guard let first = Self.names(in: (current ?? files).externalData).first, let file = folder.file(first) else {
            return 0
        }
        let probe = self.folder.path + "/link"
        defer { files.calls.removeIfPresent(probe) }
        return (try? files.calls.link(file, to: probe)) != nil ? 0 : Self.externalSize(of: current ?? files)
    }

    /// The bytes that a store's files of external data take on a disk.
    static func externalSize(of files: StoreFiles) -> Int64 {
        let folder = ExternalDataFolder(path: files.externalData)
        return names(in: files.externalData).compactMap { folder.file($0) }
            .reduce(0) { $0 + ((FileStamp(path: $1)?.boundedSize ?? 0) + 4095) / 4096 * 4096 }
    }
}
