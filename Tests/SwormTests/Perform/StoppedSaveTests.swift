// Core Data stops nothing that has begun.
#if !canImport(CoreData)
import Foundation
import Sworm
import SwormSQLite
import SwormTools
import Testing

@Suite("Saves that meet a conflict, and a deadline")
struct StoppedSaveTests {
    typealias Volume = Shelf.Volume

    private let test: TestStore
    private let mine: PersistentContainer

    init() throws {
        test = try TestStore(for: Volume.self, in: .file) { try $0.insert(Volume(id: 1)) }
        mine = try PersistentContainer(
            for: Volume.self, at: .file(#require(test.url)), mergePolicy: .mergeByPropertyObjectTrumpMergePolicyType)
    }

    /// Changes an object that somebody else changes before it is saved.
    private func change(_ context: ManagedObjectContext) throws {
        let volume = try #require(try context.fetchOne(Volume.all))
        _ = try volume.decode(\.pages)
        try test.container.write { try $0.fetchOne(Volume.all)?.encode(\.pages, 5) }
        try volume.encode(\.pages, 9)
    }

    private var pages: Int? { get throws { try test.container.read { try $0.decodeOne(Volume.all)?.pages } } }

    @Test func `are stopped while they settle it`() throws {
        let connection = try Connection(.file(path: #require(test.url).path))
        let error = storeError {
            try mine.perform(deadline: .now + .milliseconds(300)) { context in
                try change(context)
                // The trigger delays the first write that changes the row, which is the one that settles the conflict.
                try connection.execute(
                    """
                    CREATE TABLE foreign_log (n);
                    CREATE TRIGGER long AFTER UPDATE ON ZVOLUME BEGIN
                        INSERT INTO foreign_log
                        WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 20000000)
                        SELECT count(*) FROM c;
                    END
                    """)
            }
        }
        #expect(error?.code == .timedOut)
        #expect(try pages == 5)
    }

    @Test func `wait for the lock no longer than that to settle it`() throws {
        let (mine, store) = (self.mine, test.container)
        let (holds, mayContinue, isRead) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        let (isDone, ends) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let code = Locked<StoreError.Code?>(nil)
        Thread.detachNewThread {
            let error = storeError {
                try mine.perform(deadline: .now + .milliseconds(700)) { context in
                    try change(context)
                    isRead.signal()
                    holds.wait()
                }
            }
            code.withLock { $0 = error?.code }
            isDone.signal()
        }
        isRead.wait()
        // The save waits for this write first, and behind it the next one does.
        Thread.detachNewThread {
            try? store.write { _ in
                holds.signal()
                mayContinue.wait()
            }
        }
        usleep(100_000)
        Thread.detachNewThread {
            try? store.write { _ in _ = isDone.wait(timeout: .now() + 3) }
            ends.signal()
        }
        usleep(100_000)
        mayContinue.signal()
        ends.wait()
        #expect(code.withLock { $0 } == .timedOut)
        #expect(try pages == 5)
    }
}
#endif
