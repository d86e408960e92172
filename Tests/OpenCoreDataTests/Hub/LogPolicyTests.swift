import Testing
@testable import OpenCoreData
@testable import SwormStore

@Suite("When a log is checkpointed and restarted")
struct LogPolicyTests {
    private let start = ContinuousClock.now

    @Test func `pages are moved at steps, not at every commit`() {
        var policy = LogPolicy(limit: 4096)
        #expect(policy.committed(frames: 999, now: start) == .nothing)
        #expect(policy.committed(frames: 1001, now: start) == .move)
        #expect(policy.committed(frames: 1500, now: start) == .nothing)
        #expect(policy.committed(frames: 2001, now: start) == .move)
        // It has begun anew by itself.
        #expect(policy.committed(frames: 10, now: start) == .nothing)
        #expect(policy.committed(frames: 1000, now: start) == .move)
    }

    @Test func `past the limit it restarts, one attempt at a time`() {
        var policy = LogPolicy(limit: 4096)
        #expect(policy.committed(frames: 4096, now: start) == .restart)
        #expect(policy.committed(frames: 4200, now: start) == .nothing)
        #expect(policy.committed(frames: 5200, now: start) == .move)
        policy.restarted(true, now: start)
        #expect(policy.committed(frames: 5, now: start) == .nothing)
        #expect(policy.committed(frames: 4096, now: start) == .restart)
    }

    @Test func `a log that grows fast is tried again before the pause is over`() {
        var policy = LogPolicy(limit: 100)
        #expect(policy.committed(frames: 100, now: start) == .restart)
        policy.restarted(false, now: start)
        #expect(policy.committed(frames: 150, now: start) == .nothing)
        #expect(policy.committed(frames: 151, now: start) == .restart)
        policy.restarted(false, now: start)
        #expect(policy.committed(frames: 199, now: start) == .nothing && !policy.isUrgent(frames: 199))
        #expect(policy.committed(frames: 200, now: start) == .nothing && policy.isUrgent(frames: 200))
        #expect(policy.committed(frames: 227, now: start) == .restart)
        policy.restarted(true, now: start)
        #expect(policy.committed(frames: 1, now: start) == .nothing)
    }

    @Test func `attempts that fail come less and less often`() {
        var policy = LogPolicy(limit: 100)
        var (now, frames, attempts) = (start, 100, 0)
        // Commits each millisecond, for a minute.
        for _ in 0..<60_000 {
            now += .milliseconds(1)
            frames += 1
            guard policy.committed(frames: frames, now: now) == .restart else { continue }
            attempts += 1
            policy.restarted(false, now: now)
        }
        // A few of them because the log grew by half.
        #expect((10...30).contains(attempts))
        policy.restarted(true, now: now)
        #expect(policy.committed(frames: 1, now: now) == .nothing)
        #expect(policy.committed(frames: 100, now: now) == .restart)
    }
}
