import Foundation
import TestSupport

/// The states that a disk may have after a crash at any moment of a record.
///
/// The model is that of a file system that keeps a journal of names and not of content:
///
/// - Names (files and folders that are made, renamed, linked, removed) change on the disk in the order in which they were
///   changed, and each change as a whole. A crash leaves any beginning of that order that has all changes of a folder up to
///   its last synchronization.
/// - What was written into a file since it was last synchronized may be there or not, each write for itself, whatever the
///   order, and each sector of 512 bytes of a write for itself. Bytes beside a write stay as they were. What was never
///   written below the end of a file is zero.
/// - A truncation is on the disk before anything that was written into that file behind it.
/// - Names and content do not wait for each other: a file may have its new name and not its content.
/// - To synchronize a file does nothing for its name, and to synchronize a folder does nothing for the content of its files.
struct CrashHistory: Sendable {
    private let record: CrashRecord
    /// The changes of names, as indexes of changes.
    private var nameChanges: [Int] = []
    /// The existing files and folders after each number of these changes.
    private var namespaces: [[String: DiskEntry]]
    private var timelines: [Int: FileTimeline] = [:]
    /// The synchronizations of folders: the index, and how many changes of names are on the disk after it.
    private var folderPoints: [(index: Int, names: Int)] = []
    /// The changes after which a crash is more revealing than elsewhere.
    private var marks: [Int] = []
    private var moments: [(index: Int, moment: CrashMoment)] = []

    /// The size of the largest database at any time.
    private(set) var largestStore = 0

    init(_ record: CrashRecord) {
        self.record = record
        namespaces = [record.initial]
        for (file, content) in record.initialContent { timelines[file] = FileTimeline(content, since: -1) }
        var lastNames: [String: Int] = [:]
        let databases = record.files(where: { $0.hasSuffix(".sqlite") || $0.hasSuffix(".migrating/store") })
        for (index, change) in record.changes.enumerated() {
            if case .write(let file, let offset, let bytes) = change, databases.contains(file) {
                largestStore = max(largestStore, offset + bytes.count)
            }
            switch change {
            case .write(let file, _, _), .truncate(let file, _): timelines[file]?.pending.append(index)
            case .synchronize(let file):
                timelines[file]?.synchronize(index, record)
                marks.append(index)
            case .synchronizeFolder(let path):
                let names = max(lastNames[path] ?? 0, folderPoints.last?.names ?? 0)
                folderPoints.append((index, names))
                marks.append(index)
            case .note(let moment): moments.append((index, moment))
            case .makeFile(_, let file):
                timelines[file] = FileTimeline([], since: index)
                fallthrough
            default:
                nameChanges.append(index)
                namespaces.append(Self.applied(change, to: namespaces[namespaces.count - 1]))
                for folder in change.folders { lastNames[folder] = nameChanges.count }
                marks.append(index)
            }
        }
    }

    // MARK: Names

    private static func applied(_ change: DiskChange, to names: [String: DiskEntry]) -> [String: DiskEntry] {
        var names = names
        switch change {
        case .makeFile(let path, let file), .link(let file, let path): names[path] = .file(file)
        case .makeLink(let path, let target): names[path] = .link(target)
        case .makeFolder(let path): names[path] = .folder
        case .removeFile(let path), .removeFolder(let path): names[path] = nil
        case .rename(let old, let new):
            for (path, entry) in names where path == old || path.hasPrefix(old + "/") {
                names[path] = nil
                names[new + path.dropFirst(old.count)] = entry
            }
        default: break
        }
        return names
    }

    // MARK: States

    /// A state by its number.
    ///
    /// - Parameters:
    ///   - number: The number.
    ///   - seed: Makes other states with the same numbers.
    func state(_ number: Int, seed: UInt64) -> CrashState {
        var random = SeededRandom(seed: seed &+ UInt64(number) &* 0x9E37_79B9)
        var cut = random.pick(record.changes.count + 1)
        if random.chance(50), let mark = random.pick(marks) { cut = mark + random.pick(2) }
        if random.chance(15), let note = random.pick(moments) { cut = note.index + 1 }
        return state(cut: cut, &random)
    }

    /// How many moments there are between changes.
    var momentCount: Int { record.changes.count + 1 }

    /// The state that a process leaves if it is killed at a moment. Everything that was written exists.
    func stateOfKilled(at cut: Int) -> CrashState {
        var random = SeededRandom(seed: 0)
        return state(cut: cut, losing: LossyDisk.lossless, count(of: nameChanges, below: cut), &random)
    }

    /// - Parameter cut: How many changes were made before the crash.
    private func state(cut: Int, _ random: inout SeededRandom) -> CrashState {
        let most = count(of: nameChanges, below: cut)
        let least = folderPoints.last { $0.index < cut }?.names ?? 0
        let names =
            switch random.pick(4) {
            case 0: least
            case 1, 2: most
            default: Int.random(in: least...most, using: &random)
            }
        let common = random.chance(50) ? LossyDisk(&random) : nil
        return state(cut: cut, losing: common, names, &random)
    }

    /// - Parameters:
    ///   - common: What becomes of all files; nil for something else with each of them.
    ///   - names: How many changes of names are on the disk.
    private func state(
        cut: Int, losing common: LossyDisk?, _ names: Int, _ random: inout SeededRandom
    ) -> CrashState {
        var entries: [(path: String, content: CrashState.Content)] = []
        var contents: [Int: [UInt8]] = [:]
        for (path, entry) in namespaces[names].sorted(by: { $0.key < $1.key }) {
            switch entry {
            case .folder: entries.append((path, .folder))
            case .link(let target): entries.append((path, .link(target)))
            case .file(let file):
                let disk = common ?? LossyDisk(&random)
                let content = contents[file] ?? timelines[file]?.content(cut: cut, record, disk, &random) ?? []
                contents[file] = content
                entries.append((path, .file(content, file: file)))
            }
        }
        let moment = moments.last { $0.index < cut }?.moment ?? CrashMoment()
        return CrashState(cut: cut, names: names, entries: entries, moment: moment)
    }

    private func count(of indexes: [Int], below limit: Int) -> Int {
        var (low, high) = (0, indexes.count)
        while low < high {
            let middle = (low + high) / 2
            if indexes[middle] < limit { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// What a disk has after a crash.
struct CrashState: Sendable {
    enum Content: Sendable {
        case file([UInt8], file: Int)
        case folder
        case link(String)
    }

    /// How many changes of the record were made before the crash.
    let cut: Int
    /// How many changes of names are on the disk.
    let names: Int
    let entries: [(path: String, content: Content)]
    let moment: CrashMoment
}
