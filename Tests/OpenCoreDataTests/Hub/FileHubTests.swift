import Dispatch
import Foundation
import Testing
@testable import OpenCoreData
@testable import SwormStore
import SwormPredicates

@Suite("Waiting for a file's turn")
struct FileHubTests {
    private func soon(_ seconds: Double = 20) -> ContinuousClock.Instant { .now + .seconds(seconds) }

    private func condition(_ body: () throws -> Void) -> StoreCondition? {
        do {
            try body()
            return nil
        } catch {
            return (error as? CoreDataError)?.condition
        }
    }

    @Test func `a file has one hub, by whatever path it is opened`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("hub-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (file, link) = (folder.appendingPathComponent("a").path, folder.appendingPathComponent("b").path)
        try Data([1]).write(to: URL(fileURLWithPath: file))
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
        let one = try #require(HubMembership(path: file, slotLimit: 3))
        let other = try #require(HubMembership(path: link, slotLimit: nil))
        #expect(one.hub === other.hub)
        #expect(one.isCurrent && other.isCurrent)
        #expect(FileIdentity(path: folder.appendingPathComponent("none").path) == nil)
    }

    @Test func `a file that has the number of one that was closed gets a hub of its own`() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("hub-\(UUID())")
        try Data([1]).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var membership = HubMembership(path: file.path, slotLimit: 3)
        let closed = try #require(membership?.hub)
        membership = nil
        let fresh = try #require(HubMembership(path: file.path, slotLimit: nil)).hub
        #expect(fresh !== closed)
    }

    @Test func `a thread that waits too long times out, and the turn continues`() throws {
        let hub = FileHub()
        try hub.takeTurn(until: soon())
        let done = DispatchSemaphore(value: 0)
        let found = Locked<StoreCondition?>(nil)
        Thread.detachNewThread {
            let condition = condition { try hub.takeTurn(until: soon(0.05)) }
            found.withLock { $0 = condition }
            done.signal()
        }
        done.wait()
        #expect(found.withLock { $0 } == .timedOut)
        hub.releaseTurn()
        try hub.takeTurn(until: soon(0.05))
        hub.releaseTurn()
    }

    @Test func `two transactions of one thread are an error at once`() throws {
        let hub = FileHub()
        try hub.takeTurn(until: soon())
        try hub.beginWriting()
        #expect(condition { try hub.beginWriting() } == .wouldDeadlock)
        hub.endWriting()
        try hub.beginWriting()
        hub.endWriting()
        hub.releaseTurn()
    }

    @Test func `a circle of waiting threads is an error at once, for one of them`() throws {
        let hubs = (0..<3).map { _ in FileHub() }
        let (ready, found) = (DispatchSemaphore(value: 0), Locked<[StoreCondition?]>([]))
        let (go, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        for index in 0..<3 {
            Thread.detachNewThread {
                do {
                    try hubs[index].takeTurn(until: soon())
                    ready.signal()
                    go.wait()
                    let condition = condition {
                        try hubs[(index + 1) % 3].takeTurn(until: soon())
                        hubs[(index + 1) % 3].releaseTurn()
                    }
                    found.withLock { $0.append(condition) }
                    hubs[index].releaseTurn()
                } catch {
                    Issue.record(error)
                }
                done.signal()
            }
        }
        for _ in 0..<3 { ready.wait() }
        for _ in 0..<3 { go.signal() }
        for _ in 0..<3 { done.wait() }
        #expect(found.withLock { $0.filter { $0 == .wouldDeadlock }.count } == 1)
        #expect(found.withLock { $0.filter { $0 == nil }.count } == 2)
        for hub in hubs { #expect(hub.holder == nil) }
    }

    /// Waits as an asynchronous call does.
    private func wait(at hub: FileHub, isTurn: Bool, until end: ContinuousClock.Instant) async throws {
        let request = Locked<HubState.Ticket?>(nil)
        @Sendable func cancel() { if let ticket = request.withLock({ $0 }) { hub.cancelAdmission(ticket) } }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ticket = hub.admit(isTurn: isTurn, until: end) { continuation.resume(returning: $0) }
                request.withLock { $0 = ticket }
                if Task.isCancelled { cancel() }
            }
        } onCancel: {
            cancel()
        }
        switch outcome {
        case .granted: return
        case .cancelled: throw CancellationError()
        case .timedOut: throw CoreDataError.slotsAreTaken
        }
    }

    @Test func `asynchronous calls wait without threads, in order, and can be cancelled`() async throws {
        let hub = FileHub(slotLimit: 2)
        for _ in 0..<2 { try await wait(at: hub, isTurn: false, until: soon()) }
        let waiting = (0..<200).map { _ in
            Task {
                try await wait(at: hub, isTurn: false, until: soon(600))
                hub.abandon(isTurn: false)
            }
        }
        let late = Task { try await wait(at: hub, isTurn: false, until: soon(0.05)) }
        await #expect(throws: CoreDataError.self) { try await late.value }
        for task in waiting.prefix(100) { task.cancel() }
        for task in waiting.prefix(100) {
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        for _ in 0..<2 { hub.abandon(isTurn: false) }
        for task in waiting.dropFirst(100) { try await task.value }
        for _ in 0..<2 { try await wait(at: hub, isTurn: false, until: soon(0.05)) }
    }
}

@Suite("Many threads that take one turn")
struct TurnContentionTests {
    @Test func `a turn that is granted at the moment of the request is not a deadlock`() throws {
        let hub = FileHub()
        let (errors, done) = (Locked<[String]>([]), DispatchSemaphore(value: 0))
        for _ in 0..<4 {
            Thread.detachNewThread {
                for _ in 0..<5_000 {
                    do {
                        try hub.takeTurn(until: .now + .seconds(20))
                        hub.releaseTurn()
                    } catch {
                        errors.withLock { $0.append("\(error)") }
                    }
                }
                done.signal()
            }
        }
        for _ in 0..<4 { done.wait() }
        #expect(errors.withLock { $0 } == [])
        #expect(hub.holder == nil)
    }
}
