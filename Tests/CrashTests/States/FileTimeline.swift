import TestSupport

/// The content of one file over the time of a record.
struct FileTimeline: Sendable {
    /// The content that is sure to be on the disk from a change on.
    private var contents: [(since: Int, content: [UInt8])]
    /// The changes since the last synchronization.
    var pending: [Int] = []
    /// The changes before the synchronization that ends each of the contents but the first.
    private var former: [[Int]] = []

    init(_ content: [UInt8], since index: Int) { contents = [(index, content)] }

    /// Takes note of a synchronization.
    mutating func synchronize(_ index: Int, _ record: CrashRecord) {
        guard !pending.isEmpty else { return }
        var content = contents[contents.count - 1].content
        for change in pending { Self.apply(record.changes[change], to: &content) }
        contents.append((index, content))
        former.append(pending)
        pending = []
    }

    /// The content after a crash.
    ///
    /// - Parameters:
    ///   - cut: How many changes of the record were made before the crash.
    ///   - record: The record.
    ///   - disk: What becomes of the changes that are not sure to be on the disk.
    ///   - random: Decides it.
    func content(
        cut: Int, _ record: CrashRecord, _ disk: LossyDisk, _ random: inout SeededRandom
    ) -> [UInt8] {
        guard let last = contents.lastIndex(where: { $0.since < cut }) else { return [] }
        var content = contents[last].content
        let unsure = (last < former.count ? former[last] : pending).prefix { $0 < cut }
        for (change, fate) in zip(unsure, disk.fates(of: unsure.map { record.changes[$0] }, &random)) {
            switch fate {
            case .lost: break
            case .kept: Self.apply(record.changes[change], to: &content)
            case .torn: Self.tear(record.changes[change], into: &content, &random)
            }
        }
        return content
    }

    private static func apply(_ change: DiskChange, to content: inout [UInt8]) {
        switch change {
        case .write(_, let offset, let bytes): put(bytes[...], at: offset, into: &content)
        case .truncate(_, let size):
            if size < content.count {
                content.removeLast(content.count - size)
            } else {
                content += [UInt8](repeating: 0, count: size - content.count)
            }
        default: break
        }
    }

    private static func put(_ bytes: ArraySlice<UInt8>, at offset: Int, into content: inout [UInt8]) {
        let end = offset + bytes.count
        if end > content.count { content += [UInt8](repeating: 0, count: end - content.count) }
        content.replaceSubrange(offset..<end, with: bytes)
    }

    /// Writes some sectors of a write.
    private static func tear(_ change: DiskChange, into content: inout [UInt8], _ random: inout SeededRandom) {
        guard case .write(_, let offset, let bytes) = change else { return }
        let keepsBeginning = random.chance(50)
        let limit = random.pick(bytes.count / 512 + 2)
        var start = 0
        var sector = 0
        while start < bytes.count {
            let end = min(bytes.count, start + 512 - (offset + start) % 512)
            if keepsBeginning ? sector < limit : random.chance(50) {
                put(bytes[start..<end], at: offset + start, into: &content)
            }
            start = end
            sector += 1
        }
    }
}

/// What becomes of the writes that a crash finds not synchronized.
struct LossyDisk {
    enum Fate { case kept, lost, torn }

    /// How many of a hundred are kept, and how many of those are torn; nil for a beginning of all, with the last one torn.
    private let keeping: (kept: Int, torn: Int)?

    /// A disk that keeps all.
    static var lossless: LossyDisk { LossyDisk(keeping: (100, 0)) }

    private init(keeping: (kept: Int, torn: Int)?) { self.keeping = keeping }

    init(_ random: inout SeededRandom) {
        keeping =
            switch random.pick(8) {
            case 0, 1: (0, 0)
            case 2: (100, 0)
            case 3: (50, 0)
            case 4: (50, 30)
            case 5: (95, 10)
            case 6: (10, 20)
            default: nil
            }
    }

    func fates(of changes: [DiskChange], _ random: inout SeededRandom) -> [Fate] {
        var fates: [Fate] = []
        guard let keeping else {
            let limit = random.pick(changes.count + 1)
            return changes.indices.map { $0 < limit ? .kept : $0 == limit ? .torn : .lost }
        }
        var isCutOff = false
        for change in changes {
            let isKept = random.chance(keeping.kept) && !isCutOff
            switch change {
            // What was written behind a truncation that is lost is lost with it.
            case .truncate:
                isCutOff = !isKept
                fates.append(isKept ? .kept : .lost)
            default: fates.append(!isKept ? .lost : random.chance(keeping.torn) ? .torn : .kept)
            }
        }
        return fates
    }
}
