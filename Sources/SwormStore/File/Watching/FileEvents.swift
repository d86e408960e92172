import Foundation

#if os(Linux)
/// The events of the kernel for writes to the files of a store.
///
/// The files are never opened, because closing one would release the locks of this process.
///
/// @unchecked: used only on the queue of the ``FileWatch``.
final class FileEvents: @unchecked Sendable {
    /// The descriptor that becomes readable with the next event.
    let descriptor: Int32
    private let folder: String
    private let names: Set<String>
    private var folderWatch: Int32 = -1
    /// Whether the kernel reports writes to the files. Each report costs the writer a part of the time of its write.
    private(set) var reportsWrites = true

    private static let changes = UInt32(IN_MODIFY)
    private static let deletions = UInt32(IN_DELETE_SELF)
    private static let entries = UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_DELETE) | UInt32(IN_ONLYDIR)

    /// Returns nil if the kernel has no events for this file system, or no more of them for this user.
    init?(folder: String, names: Set<String>) {
        descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        self.folder = folder
        self.names = names
        // The log is deleted and created again, which the folder reports.
        folderWatch = inotify_add_watch(descriptor, folder, Self.entries)
        guard folderWatch >= 0 else { return nil }
        watchFiles()
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Removes the events that have happened.
    ///
    /// - Returns: Whether one of them concerns the files.
    func take() -> Bool {
        var concerns = false
        var hasEntries = false
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while let start = buffer.baseAddress {
                let count = read(descriptor, start, buffer.count)
                guard count > 0 else { return }
                var offset = 0
                let header = MemoryLayout<inotify_event>.size
                while offset + header <= count {
                    let event = start.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                    // After too many events, the kernel reports only that some are missing.
                    if event.wd == folderWatch, event.mask & UInt32(IN_Q_OVERFLOW) == 0 {
                        let name = start.advanced(by: offset + header)
                        let length = Int(event.len)
                        if offset + header + length <= count, names.contains(Self.name(name, length)) {
                            (concerns, hasEntries) = (true, true)
                        }
                    } else {
                        concerns = true
                    }
                    offset += header + Int(event.len)
                }
            }
        }
        if hasEntries { watchFiles() }
        return concerns
    }

    /// Sets whether the kernel reports writes to the files.
    func setReportsWrites(_ isReporting: Bool) {
        if reportsWrites == isReporting { return }
        reportsWrites = isReporting
        watchFiles()
    }

    /// Watches the files that exist. Watching a file again replaces the kind of its events.
    private func watchFiles() {
        // A watch of deletions keeps the watch itself, and is no work for a write.
        let mask = reportsWrites ? Self.changes : Self.deletions
        for name in names { _ = inotify_add_watch(descriptor, folder + "/" + name, mask) }
    }

    private static func name(_ start: UnsafeRawPointer, _ length: Int) -> String {
        let bytes = UnsafeRawBufferPointer(start: start, count: length)
        return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}
#else
/// A stand-in for systems without file events, where the file is looked at once a second.
final class FileEvents: Sendable {
    let descriptor: Int32 = -1
    var reportsWrites: Bool { true }

    init?(folder: String, names: Set<String>) { return nil }

    func take() -> Bool { false }

    func setReportsWrites(_ isReporting: Bool) {}
}
#endif
