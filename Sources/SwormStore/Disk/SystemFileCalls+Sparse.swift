import Foundation

// Copies of sparse files. Their holes occupy no disk space, but would do so in a copy made byte by byte.
extension SystemFileCalls {
    // The values of SEEK_DATA and SEEK_HOLE, which Glibc's module does not export.
    #if canImport(Darwin)
    private static let (seekData, seekHole): (Int32, Int32) = (4, 3)
    #else
    private static let (seekData, seekHole): (Int32, Int32) = (3, 4)
    #endif

    /// Returns whether a file has holes, on a file system that reports their positions. The block count alone is not
    /// enough, because a file system that compresses needs fewer blocks, too.
    func hasHoles(_ path: String) -> Bool {
        var information = stat()
        guard lstat(path, &information) == 0, Int64(information.st_blocks) * 512 < Int64(information.st_size) else {
            return false
        }
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { _ = close(descriptor) }
        let hole = lseek(descriptor, 0, Self.seekHole)
        return hole >= 0 && hole < information.st_size
    }

    /// Copies the data of a file, and preserves its holes.
    func copyData(of path: String, to copy: String) throws {
        let source = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard source >= 0 else { throw CoreDataError(failing: "opened", path) }
        defer { _ = close(source) }
        var information = stat()
        guard fstat(source, &information) == 0 else { throw CoreDataError(failing: "read", path) }
        let target = open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, information.st_mode & 0o7777)
        guard target >= 0 else { throw CoreDataError(failing: "made", copy) }
        do {
            // The umask of the process must not affect a copy.
            guard fchmod(target, information.st_mode & 0o7777) == 0 else { throw CoreDataError(failing: "made", copy) }
            guard ftruncate(target, information.st_size) == 0 else { throw CoreDataError(failing: "written", copy) }
            var buffer = [UInt8](repeating: 0, count: 1 << 20)
            var place: off_t = 0
            while case let start = lseek(source, place, Self.seekData), start >= 0 {
                place = lseek(source, start, Self.seekHole)
                guard place > start else { throw CoreDataError(failing: "read", path) }
                try copyBytes(start..<place, of: (source, path), to: (target, copy), through: &buffer)
            }
            // ENXIO means that there is no data after the position.
            guard errno == ENXIO else { throw CoreDataError(failing: "read", path) }
        } catch {
            _ = close(target)
            removeIfPresent(copy)
            throw error
        }
        guard close(target) == 0 else { throw CoreDataError(failing: "written", copy) }
    }

    private func copyBytes(
        _ range: Range<off_t>, of source: (descriptor: Int32, path: String),
        to target: (descriptor: Int32, path: String),
        through buffer: inout [UInt8]
    ) throws {
        var place = range.lowerBound
        while place < range.upperBound {
            let count = pread(source.descriptor, &buffer, min(buffer.count, Int(range.upperBound - place)), place)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw CoreDataError(failing: "read", source.path) }
            // The file was truncated in the meantime.
            if count == 0 { return }
            var done = 0
            while done < count {
                let written = buffer.withUnsafeBytes {
                    pwrite(target.descriptor, $0.baseAddress.map { $0 + done }, count - done, place + off_t(done))
                }
                if written < 0, errno == EINTR { continue }
                guard written > 0 else { throw CoreDataError(failing: "written", target.path) }
                done += written
            }
            place += off_t(count)
        }
    }
}
