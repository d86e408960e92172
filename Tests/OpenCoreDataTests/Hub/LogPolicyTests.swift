import Testing
@testable import OpenCoreData

@Suite("When a log is moved and begun anew")
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

    @Test func `past the limit it begins anew, one attempt at a time`() {
        var policy = LogPolicy(limit: 4096)
        #expect(policy.committed(frames: 4096, now: start) == .restart)
        #expect(policy.committed(frames: 4200, now: start) == .nothing)
        #expect(policy.committed(frames: 5200, now: start) == .move)
        policy.restarted(true, now: start)
        #expect(policy.committed(frames: 5, now: start) == .nothing)
        #expect(policy.committed(frames: 4096, now: start) == .restart)
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
        #expect((10...16).contains(attempts))
        policy.restarted(true, now: now)
        #expect(policy.committed(frames: 1, now: now) == .nothing)
        #expect(policy.committed(frames: 100, now: now) == .restart)
    }
}
