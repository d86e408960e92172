import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Checkpoints of one file follow each other")
struct CheckpointTurnTests {
    private let turn = CheckpointTurn()

    @Test func `one that runs during writes begins after a commit whose pages were not moved`() {
        turn.writeBegins()
        #expect(turn.takeAfterCommit())
        turn.end()
        // Nothing was written since.
        #expect(!turn.takeAfterCommit())
        turn.writeBegins()
        #expect(turn.takeAfterCommit())
        turn.end()
    }

    @Test func `a write that began while one ran begins none, whether it has ended or not`() {
        turn.writeBegins()
        #expect(turn.takeAfterCommit())
        turn.writeBegins()
        #expect(!turn.takeAfterCommit())
        turn.end()
        #expect(!turn.takeAfterCommit())
        turn.writeBegins()
        #expect(turn.takeAfterCommit())
        turn.end()
    }

    @Test func `a write in which one ran begins none`() {
        turn.writeBegins()
        #expect(turn.run(until: .now + .seconds(1)) { 5 } == 5)
        #expect(!turn.takeAfterCommit())
    }

    @Test func `one with the turn for writing waits for the one that runs, until its time is over`() async {
        turn.writeBegins()
        #expect(turn.takeAfterCommit())
        #expect(turn.run(until: .now + .milliseconds(10)) { 1 } == nil)
        let turn = turn
        async let result = Task.detached { turn.run(until: .now + .seconds(60)) { 2 } }.value
        turn.end()
        #expect(await result == 2)
    }
}
