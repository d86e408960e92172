import Foundation
@testable import OpenCoreData
import Sworm
import TestSupport

/// What a workload has recorded.
struct CrashRun: Sendable {
    /// A state of the store, and the version of its model.
    struct Milestone: Sendable {
        var content: CrashContent
        var model = CrashModel.first
    }

    var store: CrashStore
    var milestones: [Milestone]
    var record: CrashRecord
    /// What it is, to find it again.
    var name: String
}

/// Writes into a store on a disk that records, and knows the states that it has.
final class CrashWorkload {
    let store: CrashStore
    let folder: ScratchFolder
    let recorder: DiskRecorder
    private(set) var milestones = [CrashRun.Milestone(content: CrashContent())]
    private var coordinator: NSPersistentStoreCoordinator?
    private var random: SeededRandom

    var url: URL { folder.url("Store.sqlite") }
    var backupURL: URL { folder.url("Backup.sqlite") }
    var content: CrashContent { milestones[milestones.count - 1].content }

    /// - Parameters:
    ///   - store: How it is opened.
    ///   - seed: For the choice of what is written.
    ///   - prepare: Works on the folder before its changes are recorded.
    init(_ store: CrashStore, seed: UInt64, prepare: (ScratchFolder) throws -> CrashContent = { _ in .init() }) throws {
        self.store = store
        random = SeededRandom(seed: seed)
        folder = try ScratchFolder()
        milestones[0].content = try prepare(folder)
        recorder = try DiskRecorder(folder.url)
    }

    // MARK: Openings

    func open(_ model: CrashModel = .first) throws {
        coordinator = try store.coordinator(at: url, model, disk: recorder.disk)
    }

    func close() throws {
        guard let coordinator else { return }
        try CrashStore.close(coordinator)
        self.coordinator = nil
        // The last one that closes a store moves its log into the file.
        lasts()
    }

    private func container() throws -> PersistentContainer {
        if coordinator == nil { try open() }
        guard let coordinator else { throw CocoaError(.featureUnsupported) }
        return CrashStore.container(coordinator)
    }

    // MARK: Notes

    private func lasts() { recorder.note { $0.lasting = $0.acknowledged } }

    /// Runs a transaction that leads to another state.
    func transaction(
        to content: CrashContent, _ model: CrashModel = .first, lasts: Bool = false, _ body: () throws -> Void
    ) throws {
        let number = milestones.count
        milestones.append(.init(content: content, model: model))
        recorder.note { $0.begun = number }
        try body()
        recorder.note { moment in
            moment.acknowledged = number
            if lasts || store.synchronous == .full || store.journal != .wal { moment.lasting = number }
        }
    }

    func run(_ name: String) -> CrashRun {
        CrashRun(store: store, milestones: milestones, record: recorder.result, name: name)
    }

    // MARK: Steps

    func step() throws {
        switch random.pick(22) {
        case 0...4: try saveObjects()
        case 5, 6: try insertMany()
        case 7, 8: try updateMany()
        case 9, 10: try upsert()
        case 11: try deleteMany()
        case 12...15: try changePayload()
        case 16: try checkpoint(random.pick([.passive, .full, .restart, .truncate]) ?? .truncate)
        case 17: try backup()
        case 18: try close()
        case 19, 20: try saveTree()
        default: try saveTwice()
        }
    }

    private func freshKeys(_ count: Int) -> [Int] {
        let first = (content.items.keys.max() ?? 0) + 1
        return Array(first..<(first + count))
    }

    private func text() -> String { String(repeating: "t\(random.pick(10)) ", count: 1 + random.pick(20)) }

    private func someKeys(_ percent: Int) -> [Int] {
        content.items.keys.sorted().filter { _ in random.chance(percent) }
    }

    /// Inserts, changes and deletes objects in one save.
    func saveObjects() throws {
        var next = content
        let group = next.groups.isEmpty || random.chance(30) ? (next.groups.max() ?? 0) + 1 : next.groups.min() ?? 1
        let isNew = next.groups.insert(group).inserted
        let changed = someKeys(20)
        let deleted = someKeys(8).filter { !changed.contains($0) }
        let inserted = freshKeys(1 + random.pick(4))
        let (text, number) = (text(), random.pick(1000))
        for key in deleted { next.items[key] = nil }
        for key in changed {
            next.items[key]?.text = text
            next.items[key]?.group = group
        }
        for key in inserted { next.items[key] = .init(text: text, number: number, group: group) }
        let container = try container()
        try transaction(to: next) {
            try container.perform { context in
                let owner =
                    try isNew
                    ? context.insert(CrashGroup(key: group))
                    : context.fetchOne(CrashGroup.all.where { $0.key == group }) ?? context.insert(CrashGroup(key: -1))
                for item in try context.fetch(CrashItem.all) {
                    let key = try item.decode(\.key)
                    if deleted.contains(key) { try context.delete(item) }
                    guard changed.contains(key) else { continue }
                    try item.encode(\.text, text)
                    try owner.items.add(item)
                }
                for key in inserted {
                    try owner.items.add(context.insert(CrashItem(key: key, text: text, number: number)))
                }
            }
        }
    }

    /// Two saves in a row, of which the second may be lost alone.
    private func saveTwice() throws {
        try saveObjects()
        try saveObjects()
    }

    private func insertMany() throws {
        var next = content
        let text = text()
        let values = freshKeys(3 + random.pick(8)).map { CrashItem(key: $0, text: text, number: $0) }
        for value in values { next.items[value.key] = .init(text: value.text, number: value.number) }
        let container = try container()
        try transaction(to: next) { try container.perform { _ = try $0.insert(contentsOf: values) } }
    }

    private func updateMany() throws {
        var next = content
        let (limit, number) = (random.pick(20), random.pick(1000))
        for key in next.items.keys where key > limit { next.items[key]?.number = number }
        let container = try container()
        try transaction(to: next) {
            try container.perform {
                _ = try $0.update(CrashItem.all.where { $0.key > limit }, set: (\.number, number))
            }
        }
    }

    private func upsert() throws {
        var next = content
        let text = text()
        let values = (someKeys(20) + freshKeys(2)).map { CrashItem(key: $0, text: text, number: $0) }
        for value in values {
            next.items[value.key, default: .init()].text = value.text
            next.items[value.key]?.number = value.number
        }
        let container = try container()
        try transaction(to: next) {
            try container.perform {
                _ = try $0.upsert(values, on: \.key, onConflict: .update(\.text, \.number))
            }
        }
    }

    private func deleteMany() throws {
        var next = content
        guard let limit = next.items.keys.sorted().dropFirst(next.items.count / 2).first else { return }
        next.items = next.items.filter { $0.key < limit }
        let container = try container()
        try transaction(to: next) {
            try container.perform { _ = try $0.batchDelete(CrashItem.all.where { $0.key >= limit }) }
        }
    }

    /// Saves a group with its items: some are changed, some are new, and some are gone.
    private func saveTree() throws {
        var next = content
        let group = next.groups.min() ?? 1
        next.groups.insert(group)
        let members = next.items.filter { $0.value.group == group }.keys.sorted()
        let kept = members.filter { _ in random.chance(85) }
        for key in members where !kept.contains(key) { next.items[key] = nil }
        let text = text()
        var tree = CrashGroupTree(key: group)
        for key in kept + freshKeys(2) {
            var item = next.items[key] ?? .init(text: text, number: random.pick(1000), group: group)
            if random.chance(30) { item.text = text }
            next.items[key] = item
            tree.items.append(CrashItemTree(key: key, text: item.text, number: item.number))
        }
        let container = try container()
        try transaction(to: next) { try container.perform { _ = try $0.save(contentsOf: [tree]) } }
    }

    /// Sets, replaces and clears external data. At most three objects have some, to keep things small.
    func changePayload() throws {
        var next = content
        let holders = next.items.filter { $0.value.payload != nil }.keys.sorted()
        guard let key = random.pick(holders.count > 2 || random.chance(50) ? holders : next.items.keys.sorted()) else {
            return try saveObjects()
        }
        let payload = random.chance(25) ? nil : CrashContent.payload(random.pick(250))
        next.items[key]?.payload = payload
        let container = try container()
        try transaction(to: next) {
            try container.perform { context in
                try context.fetchOne(CrashItem.all.where { $0.key == key })?.encode(\.payload, payload)
            }
        }
    }

    func checkpoint(_ mode: PersistentContainer.CheckpointMode) throws {
        let result = try container().checkpoint(mode)
        if result.frames == result.moved { lasts() }
    }

    func backup() throws {
        let number = milestones.count - 1
        let container = try container()
        recorder.note { $0.backups.append(number) }
        try container.backup(to: backupURL)
        recorder.note { $0.backups = [number] }
        lasts()
    }
}
