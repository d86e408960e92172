import Foundation

/// What is at a path. Nothing is opened to find out: opening a pipe waits for somebody who writes into it.
package enum FileKind: Sendable {
    case file
    case folder
    case pipe
    case socket
    case device
    /// Only of a path itself; see ``init(itself:)``.
    case link

    /// The kind of what is at a path, or nil where there is nothing.
    package init?(path: String) {
        var information = stat()
        guard stat(path, &information) == 0 else { return nil }
        self.init(information)
    }

    /// The kind of what is at a path itself, a link not followed; nil where there is nothing.
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

    /// The kind for people.
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
