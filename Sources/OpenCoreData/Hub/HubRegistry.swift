import Foundation

/// The hubs of the files that are open in this process.
enum HubRegistry {
    private struct Entry: Sendable {
        weak var hub: FileHub?
    }

    private static let hubs = Guarded<[FileIdentity: Entry]>([:])

    /// The hub of a file, the same one as long as anybody uses it.
    ///
    /// - Parameter slotLimit: The number of calls that may read at the same time; nil for the standard.
    static func hub(of identity: FileIdentity, slotLimit: Int?) -> FileHub {
        let hub = hubs.withLock { hubs in
            if let known = hubs[identity]?.hub { return known }
            hubs = hubs.filter { $0.value.hub != nil }
            let hub = FileHub(slotLimit: slotLimit ?? FileHub.standardSlotLimit)
            hubs[identity] = Entry(hub: hub)
            return hub
        }
        if let slotLimit { hub.raiseSlotLimit(to: slotLimit) }
        return hub
    }
}

/// A file as the file system knows it, whatever its path.
struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let number: UInt64

    /// - Returns: Nil where there is no file.
    init?(path: String) {
        var information = stat()
        guard stat(path, &information) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: information.st_dev)
        number = UInt64(truncatingIfNeeded: information.st_ino)
    }
}
