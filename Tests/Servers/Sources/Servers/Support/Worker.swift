import Foundation

/// This program once more, in a process of its own. It ends with this one.
final class Worker {
    let name: String
    private let process = Process()
    /// The file for its results.
    let output: URL

    /// Starts a process.
    ///
    /// - Parameters:
    ///   - command: The name of the worker's command.
    ///   - words: Its arguments, the file for its results excepted, which is the first one.
    ///   - output: The file for its results.
    init(_ command: String, _ words: [String], output: URL) throws {
        name = "\(command) \(output.lastPathComponent)"
        self.output = output
        process.executableURL = Bundle.main.executableURL
        process.arguments = ["worker", command, output.path] + words
        process.standardInput = FileHandle.nullDevice
        try process.run()
        Self.running.change { [id = process.processIdentifier] in _ = $0.insert(id) }
    }

    /// The processes that were started and not awaited.
    private static let running = Shared<Set<Int32>>([])

    /// Kills the processes that a failed run has left.
    static func killAll() { for id in running.value { Glibc.kill(id, SIGKILL) } }

    private func wait() {
        process.waitUntilExit()
        Self.running.change { [id = process.processIdentifier] in _ = $0.remove(id) }
    }

    var isRunning: Bool { process.isRunning }

    func kill() {
        Glibc.kill(process.processIdentifier, SIGKILL)
        wait()
    }

    /// Waits until the process has ended by itself, and throws unless it ended with 0.
    func end() throws {
        wait()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw Failure("\(name) ended with \(process.terminationStatus)")
        }
    }

    /// Waits until the process has ended by itself, and reads its results.
    func result<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try end()
        return try JSONDecoder().decode(type, from: Data(contentsOf: output))
    }

    /// Ends this process when the one that has started it ends.
    static func followParent() {
        let parent = getppid()
        Thread.detachNewThread {
            while getppid() == parent { usleep(100_000) }
            exit(2)
        }
    }
}

extension [Worker] {
    /// Waits for all of them, and throws the first failure.
    func results<Value: Decodable>(_ type: Value.Type) throws -> [Value] {
        let results = map { worker in Result { try worker.result(type) } }
        return try results.map { try $0.get() }
    }
}

/// A file by which processes wait for each other.
struct Sign {
    let url: URL

    init(_ name: String, in folder: URL) { url = folder.appending(path: name) }

    init(_ path: String) { url = URL(filePath: path) }

    var isSet: Bool { FileManager.default.fileExists(atPath: url.path) }

    func set() throws {
        guard FileManager.default.createFile(atPath: url.path, contents: nil) else {
            throw Failure("cannot make the file \(url.path)")
        }
    }

    func wait() { while !isSet { usleep(500) } }

    /// Waits for signs that workers set, and throws if a worker ends before.
    static func wait(for signs: [Sign], of workers: [Worker]) throws {
        while !signs.allSatisfy(\.isSet) {
            guard workers.allSatisfy(\.isRunning) else { throw Failure("a worker has ended by itself") }
            usleep(2_000)
        }
    }
}
