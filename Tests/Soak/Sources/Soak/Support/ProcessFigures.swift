import CSoakSQLite
import Foundation

/// Figures of this process, as Linux counts them.
enum ProcessFigures {
    /// The number of all threads, including those of the concurrency pool, of Dispatch, and the calling thread.
    static func threads() -> Int {
        guard let text = text(of: "/proc/self/stat"), let end = text.lastIndex(of: ")") else { return 0 }
        // The twentieth field; the two first ones are before the parenthesis, and its end.
        let fields = text[end...].split(separator: " ")
        return fields.count > 18 ? Int(fields[18]) ?? 0 : 0
    }

    /// The memory in use, in megabytes, after the allocator has given back what it need not keep.
    static func memory() -> Double {
        malloc_trim(0)
        let fields = text(of: "/proc/self/statm")?.split(separator: " ") ?? []
        return fields.count > 1 ? (Double(fields[1]) ?? 0) * Double(sysconf(Int32(_SC_PAGESIZE))) / 1_048_576 : 0
    }

    /// The descriptors that are open, without that of the look itself.
    static func descriptors() -> Int {
        max(0, ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count ?? 0) - 1)
    }

    /// The size of a file in bytes; 0 where there is none.
    static func size(_ path: String) -> Int {
        var information = stat()
        return stat(path, &information) == 0 ? Int(information.st_size) : 0
    }

    private static func text(of path: String) -> String? {
        let file = open(path, O_RDONLY | Int32(O_CLOEXEC))
        guard file >= 0 else { return nil }
        defer { close(file) }
        return withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
            let count = read(file, buffer.baseAddress, buffer.count)
            return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
        }
    }
}
