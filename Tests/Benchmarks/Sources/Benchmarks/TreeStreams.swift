import Foundation
import Sworm

/// The peak memory of trees that are saved from an asynchronous sequence, saved again, and read with `forEach`.
struct TreeStreams {
    /// The numbers of trees, the smallest first.
    let counts: [Int]

    /// How much more memory the largest number of trees may take than the smallest one.
    private static let bound = 1.2
    private static let ways = ["save", "save again", "forEach"]

    /// Prints the peaks, and returns whether they are within the bound.
    func print() throws -> Bool {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("streams-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var peaks: [String: [Double]] = [:]
        for count in counts {
            for way in Self.ways {
                let peak = try Self.peakInChild(way, count, folder.path)
                peaks[way, default: []].append(peak)
                Swift.print("\(way), \(count) trees: peak of \(Int(peak)) MB")
            }
        }
        var isMet = true
        for way in Self.ways {
            guard let first = peaks[way]?.first, let last = peaks[way]?.last else { continue }
            let ratio = last / first
            isMet = isMet && ratio <= Self.bound
            Swift.print("\(way): \(String(format: "%.2f", ratio)) times as much (must \(Self.bound))")
        }
        return isMet
    }

    /// Saves or reads trees, and returns the peak memory of this process in megabytes.
    static func probe(_ way: String, _ count: Int, _ folder: String) async throws -> Double {
        let url = URL(fileURLWithPath: folder).appendingPathComponent("Novels-\(count).sqlite")
        let store = try openStore(at: url)
        switch way {
        case "save", "save again":
            let result = try await store.save(contentsOf: Pages(count: count))
            guard result.isEmpty == (way == "save again"), result.inserted + result.unchanged == 3 * count else {
                throw Failure("\(way): \(result)")
            }
        case "forEach":
            let novels = try await store.read { context in
                var novels = 0
                try context.forEach(WriterPage.all) { novels += $0.novels.count }
                return novels
            }
            guard novels == 2 * count else { throw Failure("There are \(novels) novels.") }
        default: throw Failure("There is no way '\(way)'.")
        }
        return try Memory.peak()
    }

    /// Opens a store whose connections keep at most one megabyte of pages. The usual limit of 16 megabytes is one that only the
    /// larger store reaches, and would be the difference.
    private static func openStore(at url: URL) throws -> PersistentContainer {
        let coordinator = NSPersistentStoreCoordinator(
            managedObjectModel: try NSManagedObjectModel(tables: Writer.self))
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url,
            options: [NSSQLitePragmasOption: ["cache_size": "-1024"]])
        return PersistentContainer(managedObjectContext: {
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            context.retainsRegisteredObjects = true
            return context
        })
    }

    private static func peakInChild(_ way: String, _ count: Int, _ folder: String) throws -> Double {
        let child = Process()
        child.executableURL = try Memory.executable()
        child.arguments = ["--tree-probe", way, "\(count)", folder]
        let output = Pipe()
        child.standardOutput = output
        try child.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        child.waitUntilExit()
        guard child.terminationStatus == 0, let peak = Double(text.trimmingCharacters(in: .whitespacesAndNewlines))
        else {
            throw Failure("The child process for \(way) said: \(text)")
        }
        return peak
    }

    /// Trees that are made on demand.
    private struct Pages: AsyncSequence, AsyncIteratorProtocol {
        let count: Int
        private var made = 0

        init(count: Int) { self.count = count }

        func makeAsyncIterator() -> Pages { self }

        mutating func next() async -> WriterPage? {
            guard made < count else { return nil }
            defer { made += 1 }
            return WriterPage.page(made, novels: 2)
        }
    }
}
