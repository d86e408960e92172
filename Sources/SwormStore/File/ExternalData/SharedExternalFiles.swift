import Foundation
import SwormPredicates

/// Content of external files that is passed from one store to another without being read.
///
/// A value that is read is the file itself, mapped into memory, so only the parts that are accessed are loaded. When
/// such a value is saved in the other store, its file is linked there instead of being written again. For this purpose,
/// values are identified by their memory address, because a modified value has another address.
package final class SharedExternalFiles: Sendable {
    private struct State {
        /// The values by the path of the file.
        var values: [String: Data] = [:]
        /// The paths by the memory address of the value.
        var files: [UInt: String] = [:]
    }

    private let state = Locked(State())

    package init() {}

    /// Returns the content of a file.
    ///
    /// - Throws: `POSIXError` if the file cannot be opened, or is not a regular file: a link could refer to any file,
    ///   and opening a pipe would block.
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
        // Modifying a value that has no other references writes to this memory. The mapping is private, so that the
        // change does not reach the file.
        let address = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor, 0)
        guard let address, address != MAP_FAILED else { throw Self.systemError() }
        let content = Data(bytesNoCopy: address, count: count, deallocator: .custom { _ = munmap($0, $1) })
        state.withLock { state in
            state.values[file] = content
            state.files[UInt(bitPattern: address)] = file
        }
        return content
    }

    /// Returns the file whose whole content is the given value, or nil if the value has another origin.
    func file(of value: Data) -> String? {
        let address = value.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        return state.withLock { state in
            guard let file = state.files[address], state.values[file]?.count == value.count else { return nil }
            return file
        }
    }

    /// Releases all values. Values that are still referenced elsewhere remain valid, and are saved like any other
    /// value.
    package func forget() { state.withLock { $0 = State() } }

    private static func systemError() -> POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
