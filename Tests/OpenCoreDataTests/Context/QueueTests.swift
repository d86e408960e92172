import Foundation
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Blocks on a context's queue", .overEachStore)
struct QueueTests {
    private struct Refusal: Error {}

    /// What the blocks have done, in their order.
    private final class Order: @unchecked Sendable {
        // Only blocks that hold the context alone touch it.
        var names: [String] = []
    }

    @Test(arguments: [true, false]) func `blocks that are waited for run after those that wait`(enqueued: Bool)
        async throws
    {
        let context = try GraphLibrary.context()
        let schedule: NSManagedObjectContext.ScheduledTaskType = enqueued ? .enqueued : .immediate
        let order = Order()
        func wait(_ name: String) { context.perform { order.names.append(name) } }
        wait("a")
        wait("b")
        let count = await context.perform(schedule: schedule) {
            order.names.append("c")
            return order.names.count
        }
        #expect(count == 3)
        #expect(order.names == ["a", "b", "c"])
    }

    @Test func `an enqueued block holds the context, and its error comes back`() async throws {
        let context = try GraphLibrary.context()
        let count = try await context.perform(schedule: .enqueued) {
            try context.make("Author", ["name": "Leo"])
            try context.save()
            return try context.all("Author").count
        }
        #expect(count == 1)
        await #expect(throws: Refusal.self) {
            try await context.perform(schedule: .enqueued) { () throws(Refusal) -> Int in throw Refusal() }
        }
        #expect(await context.perform(schedule: .enqueued) { context.hasChanges } == false)
    }
}
