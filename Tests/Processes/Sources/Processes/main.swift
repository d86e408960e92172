import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())

func inFolder(_ body: (URL) async throws -> Bool) async throws -> Bool {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("processes-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
}

do {
    let rest = Array(arguments.dropFirst())
    func url(_ index: Int) -> URL { URL(fileURLWithPath: rest[index]) }
    let isGood: Bool
    switch arguments.first {
    case "watch": isGood = try await inFolder { try await watch(rest, in: $0) }
    case "idle": isGood = try await inFolder { try await idle(rest, in: $0) }
    case "feed": isGood = try await inFolder { try await feed(rest, in: $0) }
    case "trees": isGood = try await inFolder { try trees(rest, in: $0) }
    case "tree-saver" where rest.count == 1:
        try runTreeSaver(url(0))
        isGood = true
    case "lock-holder" where rest.count == 2:
        try runLockHolder(url(0), url(1))
        isGood = true
    case "writer" where rest.count == 6:
        try runWriter(
            url(0), number: Int(rest[1]) ?? 0, commits: Int(rest[2]) ?? 1, synchronous: rest[3], output: url(4),
            seed: UInt64(rest[5]) ?? 0)
        isGood = true
    case "inserter" where rest.count == 2:
        try runInserter(url(0), number: Int(rest[1]) ?? 0)
        isGood = true
    case "reader" where rest.count >= 2:
        try await runReader(url(0), url(1), until: rest.count > 2 ? Int64(rest[2]) : nil)
        isGood = true
    default: throw Failure(description: "use: watch COMMITS, feed KILLS, trees KILLS, or idle REQUESTS")
    }
    exit(isGood ? 0 : 1)
} catch {
    print("error: \(error)")
    exit(1)
}
