import Foundation

/// The kind of item at a path. It is determined without opening the item, because opening a pipe waits for a writer.
package enum FileKind: Sendable {
    case file
    case folder
    case pipe
    case socket
    case device
    /// A symbolic link, returned only by ``init(itself:)``.
    case link

    /// Determines the kind of item at a path, or returns nil if nothing exists there.
    package init?(path: String) {
        var information = stat()
        guard stat(path, &information) == 0 else { return nil }
        self.init(information)
    }

    /// Determines the kind of item at a path without following a link, or returns nil if nothing exists there.
    package init?(itself path: String) {
        var information = stat()
        guard lstat(path, &information) == 0 else { return nil }
        self.init(information)
    }

    private init(_ information: stat) {
        switch information.st_mode & mode_t(S_IFMT) {
        case mode_t(S_IFREG): self = .file
        case mode_t(S_IFDIR): self = .folder
        case mode_t(S_IFIFO): self = .pipe
        case mode_t(S_IFSOCK): self = .socket
        case mode_t(S_IFLNK): self = .link
        default: self = .device
        }
    }

    /// A description of the kind for messages.
    package var words: String {
        switch self {
        case .file: "a file"
        case .folder: "a folder"
        case .pipe: "a pipe"
        case .socket: "a socket"
        case .device: "a device"
        case .link: "a link"
        }
    }
}
