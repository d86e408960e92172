import Foundation

/// The locks on files that the kernel knows of.
enum FileLocks {
    /// The locks of a process, and those that anybody has on the files.
    static func of(process: pid_t, files: [String]) throws -> [String] {
        let nodes = Set(files.compactMap(node))
        let text = try String(contentsOfFile: "/proc/locks", encoding: .utf8)
        return text.split(separator: "\n").map(String.init).filter { line in
            // 1: POSIX  ADVISORY  READ  4711 08:01:123 0 EOF; after an arrow those that wait.
            let words = line.split(separator: " ").filter { $0 != "->" }
            guard words.count >= 6 else { return false }
            return words[4] == "\(process)" || words[5].split(separator: ":").last.map { nodes.contains($0) } ?? false
        }
    }

    /// The number of a file; nil where there is none.
    private static func node(_ path: String) -> Substring? {
        var information = stat()
        guard stat(path, &information) == 0 else { return nil }
        return Substring("\(information.st_ino)")
    }
}
