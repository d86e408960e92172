@testable import Sworm
import Testing

@Suite("Live pacing")
struct LivePacingTests {
    @Test func `does not delay single commits`() {
        var pacing = LivePacing()
        #expect((0..<5).map { _ in pacing.pause(after: 1) } == Array(repeating: .zero, count: 5))
    }

    @Test func `collects the commits of a burst for longer and longer, and starts anew after it`() {
        var pacing = LivePacing()
        let pauses = [2, 30, 2, 9, 9, 9, 1, 2].map { pacing.pause(after: $0) }
        #expect(pauses == [2, 4, 8, 16, 32, 32, 0, 2].map { Duration.milliseconds($0) })
    }
}
