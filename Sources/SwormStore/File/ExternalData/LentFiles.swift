import Foundation
import SwormPredicates

/// Content of external files that is handed on from one store to another without being read.
///
/// A value that is read is the file itself, mapped into memory: only what somebody looks at is loaded. When such a value is
/// saved in the other store, its file gets a second name there instead of being written again. For that the values are known
/// by their place in memory, and a value that was changed has another place.
package final class LentFiles: Sendable {
    private struct State {
        /// By the path of the file.
        var values: [String: Data] = [:]
        /// By the place in memory.
        var files: [UInt: String] = [:]
    }

    private let state = Locked(State())

    package init() {}

    /// The content of a file.
    ///
    /// - Throws: `POSIXError` when it cannot be opened, or is none that has content: a link could lead anywhere, and a pipe
    ///   would be waited for.
    func content(of file: String) throws -> Data {
        if let known = state.withLock({ $0.values[file] }) { return known }
        let descriptor = open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.systemError() }
        defer { _ = close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0 else { throw Self.systemError() }
        guard information.st_mode & S_IFMT == S_IFREG else { throw POSIXError(.EINVAL) }
        let count = Int(information.st_size)
        guard count > 0 else { return Data() }
        // Whoever changes a value that nobody else has, writes into this memory. That must not reach the file.
        let address = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor, 0)
        guard let address, address != MAP_FAILED else { throw Self.systemError() }
        let content = Data(bytesNoCopy: address, count: count, deallocator: .custom { _ = munmap($0, $1) })
        state.withLock { state in
            state.values[file] = content
            state.files[UInt(bitPattern: address)] = file
        }
        return content
    }

    /// The file whose whole content a value is; nil where the value comes from elsewhere.
    func file(of value: Data) -> String? {
        let address = value.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        return state.withLock { state in
            guard let file = state.files[address], state.values[file]?.count == value.count else { return nil }
            return file
        }
    }

    /// Lets go of all values. Those that somebody else has stay, and are saved as any others.
    package func forget() { state.withLock { $0 = State() } }

    private static func systemError() -> POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
