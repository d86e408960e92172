import Foundation

extension PostgresServer {
    /// Kills all processes of the server at once. One that is restarted then recovers.
    ///
    /// - Returns: Whether there was a server to kill.
    func crash() -> Bool {
        guard let main = processID, Self.parent(of: main) != nil else { return false }
        // A stopped server starts no more processes.
        kill(main, SIGSTOP)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        for process in names.compactMap({ Int32($0) }) where Self.parent(of: process) == main { kill(process, SIGKILL) }
        return kill(main, SIGKILL) == 0
    }

    /// The number of the process that has started another one; nil if that does not exist.
    private static func parent(of process: Int32) -> Int32? {
        // The name of the program, in parentheses, can contain everything.
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return nil }
        let words = text[text.index(after: end)...].split(separator: " ")
        return words.count > 1 ? Int32(words[1]) : nil
    }
}
