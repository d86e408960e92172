package import Foundation

/// The file calls of the operating system.
package struct SystemFileCalls: FileCalls {
    package init() {}

    package func createFile(_ path: String) throws {
        let descriptor = repeated { open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666) }
        guard descriptor >= 0 else { throw CoreDataError(failing: "made", path) }
        guard close(descriptor) == 0 else { throw CoreDataError(failing: "made", path) }
    }

    package func write(_ data: Data, to path: String) throws {
        let descriptor = repeated { open(path, O_WRONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw CoreDataError(failing: "opened", path) }
        let isWritten = data.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let count = pwrite(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(done))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                done += count
            }
            return true
        }
        guard isWritten else {
            let error = CoreDataError(failing: "written", path)
            _ = close(descriptor)
            throw error
        }
        // Some file systems report a full disk only here.
        guard close(descriptor) == 0 else { throw CoreDataError(failing: "written", path) }
    }

    package func copyFile(_ path: String, to copy: String) throws {
        // Opening a pipe would block forever.
        if let kind = FileKind(itself: path), kind != .file {
            throw CoreDataError(
                CocoaError.Code.fileReadUnknown.rawValue, "'\(path)' is \(kind.words), not a file, and was not copied.")
        }
        if hasHoles(path) {
            try copyData(of: path, to: copy)
        } else {
            try FileManager.default.copyItem(atPath: path, toPath: copy)
        }
    }

    package func truncate(_ path: String, to size: Int64) throws {
        guard repeated({ Foundation.truncate(path, off_t(size)) }) == 0 else {
            throw CoreDataError(failing: "cut", path)
        }
    }

    package func synchronize(_ path: String) throws {
        let descriptor = repeated { open(path, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else {
            // A folder can be writable but not readable. Synchronizing it is impossible then.
            if errno == EACCES, FileKind(path: path) == .folder { return }
            throw CoreDataError(failing: "opened", path)
        }
        defer { _ = close(descriptor) }
        guard repeated({ fsync(descriptor) }) != 0 else { return }
        // Some file systems do not support synchronizing folders.
        if errno == EINVAL || errno == ENOTSUP, FileKind(path: path) == .folder { return }
        throw CoreDataError(failing: "written to the disk", path)
    }

    package func rename(_ path: String, to newPath: String) throws {
        guard Foundation.rename(path, newPath) == 0 else { throw CoreDataError(failing: "renamed", path) }
    }

    package func removeFile(_ path: String) throws {
        guard unlink(path) == 0 else { throw CoreDataError(failing: "removed", path) }
    }

    package func link(_ path: String, to newPath: String) throws {
        guard Foundation.link(path, newPath) == 0 else { throw CoreDataError(failing: "linked", path) }
    }

    package func makeLink(_ path: String, to target: String) throws {
        guard symlink(target, path) == 0 else { throw CoreDataError(failing: "made", path) }
    }

    package func makeFolder(_ path: String, permissions: Int) throws {
        guard mkdir(path, mode_t(permissions)) == 0 else { throw CoreDataError(failing: "made", path) }
    }

    package func removeFolder(_ path: String) throws {
        guard rmdir(path) == 0 else { throw CoreDataError(failing: "removed", path) }
    }

    package func setPermissions(of path: String, _ permissions: Int) throws {
        guard chmod(path, mode_t(permissions)) == 0 else { throw CoreDataError(failing: "given permissions", path) }
    }

    package func setOwner(of path: String, user: UInt32, group: UInt32) throws {
        guard chown(path, user, group) == 0 else { throw CoreDataError(failing: "given an owner", path) }
    }

    package func makeOld(_ path: String) throws {
        guard utimes(path, [timeval(), timeval()]) == 0 else { throw CoreDataError(failing: "given a time", path) }
    }

    /// Repeats a call that a signal has interrupted.
    private func repeated(_ call: () -> Int32) -> Int32 {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }
}

extension CoreDataError {
    /// Creates the error for a system call that has just failed.
    ///
    /// - Parameters:
    ///   - action: The participle of the call, for the message.
    ///   - path: The file or folder.
    ///   - number: The error number.
    init(failing action: String, _ path: String, number: Int32 = errno) {
        let code: CocoaError.Code =
            switch number {
            case ENOSPC, EDQUOT: .fileWriteOutOfSpace
            case EACCES, EPERM: .fileWriteNoPermission
            case EROFS: .fileWriteVolumeReadOnly
            case ENOENT: .fileNoSuchFile
            case EEXIST: .fileWriteFileExists
            case ENAMETOOLONG: .fileWriteInvalidFileName
            default: .fileWriteUnknown
            }
        self.init(code.rawValue, "'\(path)' cannot be \(action): \(String(cString: strerror(number))).")
    }
}
