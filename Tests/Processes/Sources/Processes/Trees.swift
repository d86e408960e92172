import Foundation
import Sworm

/// The owner of leaves, with the number of the save that wrote it.
struct Folder: Hashable, Sendable {
    var number = 0
    var save = 0
}

extension Folder: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Folder>> = [.init(\.number, "number", .unique), .init(\.save, "save")]
    struct Relations: Sendable { let leaves = ToManyOrderedRelation<Leaf>("leaves", deleteRule: .cascade) }
    static let relations = Relations()
}

struct Leaf: Hashable, Sendable {
    var number = 0
    var text = ""
}

extension Leaf: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Leaf>> = [.init(\.number, "number"), .init(\.text, "text")]
    struct Relations: Sendable { let folder = ToOneRelation<Folder>("folder", inverse: \.leaves) }
    static let relations = Relations()
}

struct FolderTree: Hashable, Sendable {
    var number = 0
    var save = 0
    var leaves: [Leaf] = []
}

extension FolderTree: ManagedTreeConvertible {
    typealias Entity = Folder
    static let attributes: Set<Attribute<FolderTree>> = [.init(\.number, \.number), .init(\.save, \.save)]
    static let branches: [Branch<FolderTree>] = [.init(\.leaves, \.leaves, .matched(by: \.number))]

    /// The trees of one save: each has other folders, leaves and orders than the one before.
    static func all(of save: Int) -> [FolderTree] {
        var random = Seeded(UInt64(save))
        return (0..<300).compactMap { number in
            if random.next() % 10 == 0 { return nil }
            let numbers = (0..<6).filter { _ in random.next() % 2 == 0 }.shuffled(using: &random)
            return FolderTree(
                number: number, save: save,
                leaves: numbers.map { Leaf(number: $0, text: "\(save) \(random.next() % 2)") })
        }
    }
}

private func openTrees(_ url: URL) throws -> PersistentContainer {
    try PersistentContainer(for: Folder.self, checking: FolderTree.self, at: .file(url))
}

/// A process that saves one list of trees over another until it is killed, past objects and through them in turns.
func runTreeSaver(_ url: URL) throws {
    let store = try openTrees(url)
    while true {
        let save = try store.perform { try $0.max(of: Folder.all, \.save) ?? 0 } + 1
        let trees = FolderTree.all(of: save)
        if save % 2 == 0 {
            try store.write { _ = try $0.save(contentsOf: trees, replacing: Folder.all) }
        } else {
            try store.perform { _ = try $0.save(contentsOf: trees, replacing: Folder.all) }
        }
    }
}

/// A process that holds the write lock until it is killed. It makes a file when it has the lock.
func runLockHolder(_ url: URL, _ sign: URL) throws {
    try openTrees(url).write { context in
        try context.insert(Folder(number: -1, save: -1))
        _ = FileManager.default.createFile(atPath: sign.path, contents: nil)
        while true { sleep(1) }
    }
}

/// Returns the milliseconds that a save of the trees takes that the store has, while another process holds the write lock.
private func unchangedSave(_ url: URL, in folder: URL) throws -> Double {
    let sign = folder.appendingPathComponent("locked")
    let holder = try start(["lock-holder", url.path, sign.path])
    defer {
        kill(holder.processIdentifier, SIGKILL)
        holder.waitUntilExit()
    }
    while !FileManager.default.fileExists(atPath: sign.path) {
        guard holder.isRunning else { throw Failure(description: "the process with the lock has ended by itself") }
        usleep(1_000)
    }
    let store = try openTrees(url)
    let trees = try store.read { try $0.decode(FolderTree.all) }
    let began = now()
    let result = try store.perform { try $0.save(contentsOf: trees) }
    guard result.isEmpty else { throw Failure(description: "the save of unchanged trees has changed something") }
    return Double(now() - began) / 1e6
}

/// Kills processes that save trees, and returns whether the store had the trees of one whole save after each kill.
func trees(_ arguments: [String], in folder: URL) throws -> Bool {
    let kills = arguments.first.flatMap { Int($0) } ?? 100
    let seed = arguments.firstIndex(of: "--seed").flatMap { UInt64(arguments[$0 + 1]) } ?? UInt64.random(in: 0...9_999)
    var random = Seeded(seed)
    let url = folder.appendingPathComponent("Store.sqlite")
    var (saves, torn) = (0, 0)
    for _ in 0..<kills {
        let saver = try start(["tree-saver", url.path])
        usleep(UInt32(30_000 + random.next() % 100_000))
        guard saver.isRunning else { throw Failure(description: "a process has ended by itself") }
        kill(saver.processIdentifier, SIGKILL)
        saver.waitUntilExit()
        guard FileManager.default.fileExists(atPath: url.path) else { continue }
        let store = try openTrees(url)
        let (found, leaves) = try store.read {
            (try $0.decode(FolderTree.all.sort(\.number)), try $0.count(of: Leaf.all))
        }
        saves = found.first?.save ?? 0
        if found != (saves == 0 ? [] : FolderTree.all(of: saves)) || leaves != found.map(\.leaves.count).reduce(0, +) {
            torn += 1
        }
        try store.close()
    }
    let unchanged = try unchangedSave(url, in: folder)
    print("a second save beside a process with the write lock: \(unchanged) ms")
    print("seed \(seed), \(kills) kills, \(saves) saves, \(torn) of them seen in part")
    return torn == 0 && saves > 0 && unchanged < 1000
}
