import Foundation
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Behaviours: query generations and the notification of a save")
struct QueryGenerationTests {
    private let folder: StoreFolder
    private let coordinator: NSPersistentStoreCoordinator

    init() throws {
        folder = try StoreFolder()
        coordinator = try GraphLibrary.coordinator(at: folder.url())
        try save("a")
    }

    private func save(_ name: String) throws {
        let context = GraphLibrary.context(coordinator)
        try context.make("Tag", ["name": name])
        try context.save()
    }

    private func names(_ context: NSManagedObjectContext) throws -> [String?] {
        try context.all("Tag").map { $0.text("name") }
    }

    @Test func `a context is pinned to the generation of another one, whatever was saved since`() throws {
        let (one, other) = (GraphLibrary.context(coordinator), GraphLibrary.context(coordinator))
        try one.setQueryGenerationFrom(.current)
        #expect(try names(one) == ["a"])
        try save("b")
        let token = try #require(one.queryGenerationToken)
        try other.setQueryGenerationFrom(token)
        #expect(other.queryGenerationToken === token && one.queryGenerationToken === token)
        try save("c")
        #expect(try names(other) == ["a"] && names(one) == ["a"])
        // The generation lasts as long as one of them reads it.
        try one.setQueryGenerationFrom(.current)
        #expect(try names(one) == ["a", "b", "c"])
        #expect(try names(other) == ["a"])
        try other.setQueryGenerationFrom(nil)
        #expect(try names(other) == ["a", "b", "c"] && other.queryGenerationToken == nil)
    }

    @Test func `the generation of a context that has not read yet is the newest one`() throws {
        let (one, other) = (GraphLibrary.context(coordinator), GraphLibrary.context(coordinator))
        try one.setQueryGenerationFrom(.current)
        try other.setQueryGenerationFrom(one.queryGenerationToken)
        try save("b")
        #expect(try names(one) == ["a"] && names(other) == ["a"])
        #expect(one.queryGenerationToken === other.queryGenerationToken)
    }

    @Test func `a save moves a pinned context on, and not those that shared its generation`() throws {
        let (one, other) = (GraphLibrary.context(coordinator), GraphLibrary.context(coordinator))
        try one.setQueryGenerationFrom(.current)
        try other.setQueryGenerationFrom(one.queryGenerationToken)
        let before = one.queryGenerationToken
        try one.make("Tag", ["name": "mine"])
        try one.save()
        #expect(try names(one) == ["a", "mine"] && names(other) == ["a"])
        #expect(one.queryGenerationToken !== before && other.queryGenerationToken === before)
        let third = GraphLibrary.context(coordinator)
        try third.setQueryGenerationFrom(before)
        #expect(try names(third) == ["a"])
        third.delete(try #require(try third.all("Tag").first))
        try third.save()
        #expect(try names(third) == ["mine"] && names(other) == ["a"])
    }

    @Test func `contexts of one generation read it on several threads`() async throws {
        for index in 0..<200 { try save("tag \(index)") }
        let one = GraphLibrary.context(coordinator)
        try one.setQueryGenerationFrom(.current)
        let token = try #require(one.queryGenerationToken)
        let coordinator = coordinator
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for index in 0..<8 {
                group.addTask {
                    let context = GraphLibrary.context(coordinator)
                    return try await context.perform {
                        try context.setQueryGenerationFrom(token)
                        var total = 0
                        for _ in 0..<20 {
                            context.reset()
                            try context.setQueryGenerationFrom(token)
                            total += Set(try context.all("Tag").map { $0.text("name") }).count
                            if index == 0 {
                                let writer = GraphLibrary.context(coordinator)
                                try writer.make("Tag", ["name": UUID().uuidString])
                                try writer.save()
                            }
                        }
                        return total
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts == Array(repeating: 20 * 201, count: 8))
        #expect(try names(one).count == 201)
    }

    @Test func `the token of another coordinator is an error, and the context reads as before`() throws {
        let elsewhere = GraphLibrary.context(try GraphLibrary.coordinator())
        try elsewhere.setQueryGenerationFrom(.current)
        let context = GraphLibrary.context(coordinator)
        let token = elsewhere.queryGenerationToken
        #expect(coreDataError { try context.setQueryGenerationFrom(token) }?.message.contains("other stores") ?? false)
        #expect(context.queryGenerationToken == nil)
        #expect(try names(context) == ["a"])
    }

    @Test func `the notification of a save has the token of its generation`() throws {
        let writer = GraphLibrary.context(coordinator)
        let recorder = NotificationRecorder(.NSManagedObjectContextDidSave, of: writer)
        let reader = GraphLibrary.context(coordinator)
        try reader.setQueryGenerationFrom(.current)
        #expect(try names(reader) == ["a"])
        recorder.onReceive = { [weak recorder] in
            let token = recorder?.received.last?["newQueryGeneration"] as? NSQueryGenerationToken
            #expect(throws: Never.self) { try reader.setQueryGenerationFrom(token) }
        }
        try writer.make("Tag", ["name": "b"])
        try writer.save()
        #expect(recorder.received.count == 1 && NSManagedObjectContextQueryGenerationKey == "newQueryGeneration")
        try save("c")
        #expect(try names(reader) == ["a", "b"])
        #expect(recorder.received.last?["newChangeToken"] == nil)
    }

    @Test func `the notification of a save has the token of its transaction in the history`() throws {
        let library = try HistoryLibrary()
        let recorder = NotificationRecorder(.NSManagedObjectContextDidSave, of: library.context)
        try library.saveTag("a")
        let first = try #require(recorder.received.last?["newChangeToken"] as? NSPersistentHistoryToken)
        #expect(first == library.token)
        try library.saveTag("b")
        let second = try #require(recorder.received.last?["newChangeToken"] as? NSPersistentHistoryToken)
        #expect(try library.context.changeTexts(.fetchHistory(after: first)) == ["insert Tag/p2"])
        #expect(try library.context.changeTexts(.fetchHistory(after: second)) == [])
    }
}
