#if os(Linux)
import Foundation
import SwormPredicates
@testable import SwormStore
import TestSupport
import Testing

@Suite("The watch over the files of a store", .timeLimit(.minutes(30)))
struct FileWatchTests {
    private let folder: StoreFolder
    private let files: StoreFiles
    private let handle: FileHandle

    init() throws {
        folder = try StoreFolder()
        files = StoreFiles(url: folder.url())
        try Data("main".utf8).write(to: URL(filePath: files.main))
        try Data().write(to: URL(filePath: files.writeAheadLog))
        handle = try FileHandle(forWritingTo: URL(filePath: files.writeAheadLog))
    }

    private func write() throws { try handle.write(contentsOf: Data("frame".utf8)) }

    private func makeEvents() throws -> FileEvents {
        let names = [files.main, files.writeAheadLog].map { ($0 as NSString).lastPathComponent }
        return try #require(FileEvents(folder: files.folder, names: Set(names)))
    }

    @Test func `writes are reported unless that is switched off`() throws {
        let events = try makeEvents()
        #expect(!events.take())
        try write()
        #expect(events.take() && !events.take())
        events.setReportsWrites(false)
        try write()
        #expect(!events.take())
        events.setReportsWrites(true)
        #expect(!events.take())
        try write()
        #expect(events.take())
    }

    @Test func `a file that is created while writes are not reported is reported, its writes afterwards`() throws {
        let events = try makeEvents()
        events.setReportsWrites(false)
        try FileManager.default.removeItem(atPath: files.writeAheadLog)
        try Data().write(to: URL(filePath: files.writeAheadLog))
        #expect(events.take())
        let handle = try FileHandle(forWritingTo: URL(filePath: files.writeAheadLog))
        try handle.write(contentsOf: Data("frame".utf8))
        #expect(!events.take())
        events.setReportsWrites(true)
        try handle.write(contentsOf: Data("frame".utf8))
        #expect(events.take())
    }

    @Test func `the file is looked at all the time while this process commits, and after it`() async throws {
        let looks = Locked(0)
        func wait(for count: Int, seconds: Int) async throws {
            let end = ContinuousClock.now + .seconds(seconds)
            while looks.withLock({ $0 }) < count, ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(1))
            }
            #expect(looks.withLock { $0 } >= count)
        }
        // Before each of the first 40 looks there is a commit, which nothing but its number shows.
        let watch = FileWatch(files, ownCommits: { looks.withLock { UInt64(min($0, 40)) } }) {
            looks.withLock { $0 += 1 }
            return true
        }
        watch.start()
        defer { watch.stop() }
        try write()
        // Without these commits, there would be seven looks, and then one in each second.
        try await wait(for: 40 + WatchSchedule.pauses.count - 1, seconds: 20)
        // The schedule has ended, and writes are reported again: one of them starts it.
        let before = looks.withLock { $0 }
        try write()
        try await wait(for: before + 5, seconds: 4)
    }
}
#endif
