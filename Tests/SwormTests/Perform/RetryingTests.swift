import Foundation
@testable import Sworm
import SwormTools
import TestSupport
import Testing

@Suite("perform(retrying:)", .over(.file, .server))
struct RetryingTests {
    typealias Volume = Shelf.Volume

    private let test: TestStore
    private let other: PersistentContainer

    init() throws {
        test = try TestStore.tested(for: Volume.self) { try $0.insert(Volume(id: 1)) }
        other = try PersistentContainer(for: Volume.self, at: test.location)
    }

    private func addByOther() throws {
        try other.perform { context in
            let volume = try #require(try context.fetchOne(Volume.all))
            try volume.encode(\.pages, try volume.decode(\.pages) + 1)
        }
    }

    /// Adds one to the pages, after the other container did so in the first runs.
    private func add(_ context: ManagedObjectContext, run: Int, conflicts: Int) throws {
        let volume = try #require(try context.fetchOne(Volume.all))
        let pages = try volume.decode(\.pages)
        if run <= conflicts { try addByOther() }
        try volume.encode(\.pages, pages + 1)
    }

    private var pages: Int? {
        get throws { try other.read { try $0.decodeOne(Volume.all)?.pages } }
    }

    @Test func `repeats a closure that meets conflicts`() throws {
        var runs = 0
        try test.container.perform(retrying: 5) { context in
            runs += 1
            try add(context, run: runs, conflicts: 3)
        }
        #expect(runs == 4)
        #expect(try pages == 4)
    }

    @Test func `throws the conflict without repetitions`() throws {
        var runs = 0
        let error = storeError {
            try test.container.perform { context in
                runs += 1
                try add(context, run: runs, conflicts: 3)
            }
        }
        #expect(error?.code == .conflict && runs == 1)
        #expect(try pages == 1)
    }

    #if !canImport(CoreData)
    // No connection is opened within the timeout of this test.
    @Test(.over(.file)) func `holds the write lock in the last repetition`() throws {
        let rival = try PersistentContainer(for: Volume.self, at: test.location, timeout: 0.01)
        var codes: [StoreError.Code?] = []
        try test.container.perform(retrying: 2) { context in
            let volume = try #require(try context.fetchOne(Volume.all))
            let pages = try volume.decode(\.pages)
            let rivals = storeError {
                try rival.perform { context in
                    let volume = try #require(try context.fetchOne(Volume.all))
                    try volume.encode(\.pages, try volume.decode(\.pages) + 1)
                }
            }
            codes.append(rivals?.code)
            try volume.encode(\.pages, pages + 1)
        }
        #expect(codes == [nil, nil, .wouldDeadlock])
        #expect(try pages == 3)
    }
    #endif

    @Test func `repeats nothing else`() throws {
        var runs = 0
        #expect(throws: StoreError.Missing.self) {
            try test.container.perform(retrying: 5) { _ in
                runs += 1
                throw StoreError.Missing()
            }
        }
        #expect(runs == 1)
    }

    @Test func `does not repeat a call that joins another one alone`() throws {
        var (runs, inner) = (0, 0)
        let store = test.container
        try store.perform(retrying: 3) { context in
            runs += 1
            try store.perform(retrying: 5) { context in
                inner += 1
                try add(context, run: runs, conflicts: 1)
            }
        }
        #expect(runs == 2 && inner == 2)
        #expect(try pages == 2)
    }

    @Test func `repeats the asynchronous form too, and returns the result of the last run`() async throws {
        let runs = Locked(0)
        let id = try await test.container.schedule(retrying: 5) { context in
            let run = runs.withLock { runs in
                runs += 1
                return runs
            }
            try add(context, run: run, conflicts: 2)
            return try context.fetchOne(Volume.all)
        }
        #expect(runs.withLock { $0 } == 3 && id != nil)
        #expect(try await other.read { try $0.decodeOne(Volume.all)?.pages } == 3)
    }

    @Test func `pauses grow, differ, stay short, and end at the deadline`() {
        var generator = SystemRandomNumberGenerator()
        let call = StoreCall.perform(retrying: 20, deadline: nil)
        let late = StoreCall.perform(retrying: 20, deadline: .now - .seconds(1))
        let (conflict, loss) = (StoreError(.conflict, "conflict"), StoreError(.serverUnavailable, "lost"))
        for number in 1...20 {
            for _ in 0..<50 {
                let pause = call.pause(before: number, after: conflict, using: &generator)
                #expect(pause >= .microseconds(500) && pause <= .milliseconds(min(1 << number, 64)))
                let longer = call.pause(before: number, after: loss, using: &generator)
                let longest = Duration.milliseconds(min(100 << (number - 1), 1000))
                #expect(longer >= longest / 2 && longer <= longest)
                #expect(late.pause(before: number, after: loss, using: &generator) == .zero)
            }
        }
    }

    @Test func `repeats conflicts and losses, and no error of another kind`() {
        let call = StoreCall.perform(retrying: 2, deadline: nil)
        for code in [StoreError.Code.conflict, .serverUnavailable] {
            let error = StoreError(code, "a failure")
            #expect(call.isRepeated(after: error, repetition: 0) && call.isRepeated(after: error, repetition: 1))
            #expect(!call.isRepeated(after: error, repetition: 2))
        }
        for code in [StoreError.Code.outcomeUnknown, .timedOut, .suspended, .storeClosed, .storeFailed, .validation] {
            #expect(!call.isRepeated(after: StoreError(code, "a failure"), repetition: 0))
        }
    }
}
