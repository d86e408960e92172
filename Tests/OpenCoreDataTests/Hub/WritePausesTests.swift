import Testing
@testable import OpenCoreData
@testable import SwormStore

@Suite("Pauses for writes of other processes")
struct WritePausesTests {
    @Test func `writes that follow each other closely pause four times a second`() {
        var (pauses, now) = (WritePauses(), ContinuousClock.now)
        var (count, waited) = (0, Duration.zero)
        let start = now
        while now - start < .seconds(10) {
            if let pause = pauses.pause(before: now) {
                #expect(pause > .zero && pause <= WritePauses.gap)
                (count, waited, now) = (count + 1, waited + pause, now + pause)
            }
            now += .milliseconds(1)
            pauses.ended(at: now)
            now += .microseconds(20)
        }
        #expect((37...40).contains(count))
        #expect(waited < .milliseconds(100))
    }

    @Test func `writes with time between them do not pause`() {
        var (pauses, now) = (WritePauses(), ContinuousClock.now)
        for _ in 0..<1000 {
            #expect(pauses.pause(before: now) == nil)
            now += .milliseconds(5)
            pauses.ended(at: now)
            now += .milliseconds(3)
        }
    }
}
