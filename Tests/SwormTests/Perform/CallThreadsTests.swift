#if !canImport(CoreData)
import Foundation
import Testing

@testable import Sworm

@Suite("Threads of asynchronous calls")
struct CallThreadsTests {
    private static var patience: DispatchTime { .now() + 60 }

    /// Notes the names of jobs in the order in which they run.
    private final class Journal: Sendable {
        private let content = Locked<[String]>([])
        let done = DispatchSemaphore(value: 0)

        var names: [String] { content.withLock { $0 } }

        func note(_ name: String) {
            content.withLock { $0.append(name) }
            done.signal()
        }
    }

    @Test("A job runs although as many as the limit wait for it")
    func blockedJobs() {
        let threads = CallThreads(limit: 2, watchInterval: 1_000)
        let journal = Journal()
        let gate = DispatchSemaphore(value: 0)
        for number in 1...4 {
            threads.enqueue(number == 1 ? .write : .read) {
                gate.wait()
                journal.note("waited")
            }
        }
        threads.enqueue(.read) { for _ in 1...4 { gate.signal() } }
        for _ in 1...4 { #expect(journal.done.wait(timeout: Self.patience) == .success) }
        #expect(threads.count <= 5)
    }

    @Test("No more jobs than the limit begin while none runs for long")
    func limit() {
        let threads = CallThreads(limit: 2, watchInterval: 60_000_000)
        let journal = Journal()
        let gate = DispatchSemaphore(value: 0)
        let running = Locked(0)
        let most = Locked(0)
        for _ in 1...50 {
            threads.enqueue(.read) {
                let now = running.withLock { running in
                    running += 1
                    return running
                }
                most.withLock { $0 = max($0, now) }
                gate.wait()
                running.withLock { $0 -= 1 }
                journal.note("done")
            }
        }
        for _ in 1...50 { gate.signal() }
        for _ in 1...50 { #expect(journal.done.wait(timeout: Self.patience) == .success) }
        #expect(most.withLock { $0 } <= 2)
        // One more may watch.
        #expect(threads.count <= 3)
    }

    @Test("A job with the write turn goes before jobs that read, every other time")
    func order() {
        let threads = CallThreads(limit: 1, watchInterval: 60_000_000)
        let journal = Journal()
        threads.enqueue(.read) {
            for number in 1...3 { threads.enqueue(.read) { journal.note("read \(number)") } }
            for number in 1...2 { threads.enqueue(.write) { journal.note("write \(number)") } }
        }
        for _ in 1...5 { #expect(journal.done.wait(timeout: Self.patience) == .success) }
        #expect(journal.names == ["write 1", "read 1", "write 2", "read 2", "read 3"])
    }

    @Test("Brief jobs run while as many as the limit run, on one thread more")
    func briefs() {
        let threads = CallThreads(limit: 1, watchInterval: 60_000_000)
        let journal = Journal()
        let gate = DispatchSemaphore(value: 0)
        threads.enqueue(.read) {
            journal.note("began")
            gate.wait()
            journal.note("ended")
        }
        #expect(journal.done.wait(timeout: Self.patience) == .success)
        for _ in 1...20 { threads.enqueue(.brief) { journal.note("brief") } }
        for _ in 1...20 { #expect(journal.done.wait(timeout: Self.patience) == .success) }
        gate.signal()
        #expect(journal.done.wait(timeout: Self.patience) == .success)
        #expect(journal.names == ["began"] + Array(repeating: "brief", count: 20) + ["ended"])
        #expect(threads.count <= 2)
    }

    @Test("A job that follows from the end of another one runs on its thread")
    func chain() {
        let threads = CallThreads(limit: 4, watchInterval: 1_000)
        let journal = Journal()
        @Sendable func run(_ number: Int) {
            CallThreads.callEnds()
            // A second time says nothing new.
            CallThreads.callEnds()
            if number == 0 { journal.note("end") } else { threads.enqueue(.read) { run(number - 1) } }
        }
        threads.enqueue(.read) { run(1_000) }
        #expect(journal.done.wait(timeout: Self.patience) == .success)
        #expect(threads.count == 1)
    }

    @Test("Every job runs once, however long each takes", arguments: [1, 2, 5])
    func many(limit: Int) {
        let threads = CallThreads(limit: limit, watchInterval: 200)
        let journal = Journal()
        var generator = SystemRandomNumberGenerator()
        for number in 0..<400 {
            let pause = UInt32.random(in: 0...2_000, using: &generator)
            let kind: CallJobs.Kind = [.read, .write, .brief][Int.random(in: 0..<3, using: &generator)]
            let ends = Bool.random(using: &generator)
            threads.enqueue(kind) {
                if pause > 500 { usleep(pause) }
                if ends { CallThreads.callEnds() }
                journal.note("\(number)")
            }
            if pause < 100 { usleep(100) }
        }
        for _ in 0..<400 { #expect(journal.done.wait(timeout: Self.patience) == .success) }
        #expect(Set(journal.names).count == 400)
        #expect(journal.names.count == 400)
    }
}
#endif
