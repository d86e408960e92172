import Foundation
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Compatibility: kinds and execution of requests", .overEachStore)
struct RequestExecutionTests {
    private let context: NSManagedObjectContext
    private let coordinator: NSPersistentStoreCoordinator

    init() throws {
        coordinator = try GraphLibrary.coordinator()
        context = GraphLibrary.context(coordinator)
        for name in ["Ann", "Leo"] { try context.make("Author", ["name": name]) }
        try context.save()
    }

    private func authors() -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        return request
    }

    @Test func `a request names its kind`() {
        #expect(authors().requestType == .fetchRequestType)
        #expect(NSBatchInsertRequest(entityName: "Author", objects: []).requestType == .batchInsertRequestType)
        #expect(NSBatchUpdateRequest(entityName: "Author").requestType == .batchUpdateRequestType)
        #expect(NSBatchDeleteRequest(objectIDs: []).requestType == .batchDeleteRequestType)
        #expect(NSAsynchronousFetchRequest(fetchRequest: authors()).requestType == .fetchRequestType)
        let kinds = [1, 2, 5, 6, 7].map { NSPersistentStoreRequestType(rawValue: $0) }
        let expected: [NSPersistentStoreRequestType] = [
            .fetchRequestType, .saveRequestType, .batchInsertRequestType, .batchUpdateRequestType,
            .batchDeleteRequestType,
        ]
        #expect(kinds == expected)
    }

    @Test func `a batch deletion has its request`() throws {
        let request = authors()
        request.predicate = NSPredicate(format: "name == %@", argumentArray: ["Leo"])
        let deletion = NSBatchDeleteRequest(fetchRequest: request)
        #expect(deletion.fetchRequest.entityName == "Author")
        #expect(deletion.fetchRequest.predicate?.description == request.predicate?.description)
        let ids = try context.fetch(request).map(\.objectID)
        let listed = NSBatchDeleteRequest(objectIDs: ids).fetchRequest
        #expect(try context.fetch(listed).compactMap { ($0 as? NSManagedObject)?.text("name") } == ["Leo"])
    }

    @Test func `a batch insertion without an entity is an error`() {
        #expect(thrownCode { try context.execute(NSBatchInsertRequest()) } != nil)
    }

    @Test func `a coordinator executes requests in a context`() throws {
        let found = try coordinator.execute(authors(), with: context) as? [NSManagedObject]
        #expect(found?.compactMap { $0.text("name") } == ["Ann", "Leo"])
        let update = NSBatchUpdateRequest(entityName: "Author")
        update.propertiesToUpdate = ["age": 5]
        update.resultType = .updatedObjectsCountResultType
        let result = try coordinator.execute(update, with: context) as? NSBatchUpdateResult
        #expect(result?.result as? Int == 2)
        let stranger = try GraphLibrary.context()
        #expect(
            thrownCode { _ = try coordinator.execute(authors(), with: stranger) } == NSPersistentStoreOperationError)
    }

    @Test func `a coordinator performs blocks in order, and returns their results and errors`() async throws {
        let order = Locked<[Int]>([])
        func enqueue() {
            for number in 0..<10 { coordinator.perform { order.withLock { $0.append(number) } } }
        }
        enqueue()
        let count = await coordinator.perform { order.withLock { $0.count } }
        #expect(count == 10 && order.withLock { $0 } == Array(0..<10))
        await #expect(throws: CocoaError.self) {
            try await coordinator.perform { () throws -> Void in throw CocoaError(.fileNoSuchFile) }
        }
    }

    @Test func `an asynchronous fetch completes on the context's queue`() async throws {
        // The request is only used by the context's queue until it has ended.
        let names = await withCheckedContinuation { (continuation: CheckedContinuation<[String?], Never>) in
            let request = NSAsynchronousFetchRequest(fetchRequest: authors()) { result in
                let names = result.finalResult?.map { $0.text("name") } ?? []
                let isCurrent = CurrentContext.value === result.managedObjectContext
                continuation.resume(returning: names + ["\(isCurrent) \(result.progress?.completedUnitCount ?? 0)"])
            }
            let result = context.performAndWait { try? context.execute(request) }
            let pending = result as? NSAsynchronousFetchResult<NSManagedObject>
            #expect(pending?.managedObjectContext === context && pending?.fetchRequest === request)
        }
        #expect(names == ["Ann", "Leo", "true 2"])
    }

    @Test func `an asynchronous fetch has the error of its request`() async {
        let message = await withCheckedContinuation { (continuation: CheckedContinuation<String, Never>) in
            let request = NSAsynchronousFetchRequest(
                fetchRequest: NSFetchRequest<NSManagedObject>(entityName: "Nobody")
            ) { result in
                continuation.resume(
                    returning: "\(result.finalResult == nil) \(result.operationError.map { "\($0)" } ?? "")")
            }
            do { try context.execute(request) } catch { continuation.resume(returning: "thrown") }
        }
        #expect(message.hasPrefix("true ") && message.contains("Nobody"))
    }

    @Test(arguments: [false, true])
    func `a fetch that was cancelled before it runs finds nothing`(byProgress: Bool) async throws {
        let code = await withCheckedContinuation { (continuation: CheckedContinuation<Int?, Never>) in
            let request = NSAsynchronousFetchRequest(fetchRequest: authors()) { result in
                let isEmpty = result.finalResult == nil
                continuation.resume(returning: isEmpty ? (result.operationError as NSError?)?.code : nil)
            }
            context.performAndWait {
                // The queue waits for this block.
                let result = try? context.execute(request) as? NSAsynchronousFetchResult<NSManagedObject>
                if byProgress { result?.progress?.cancel() } else { result?.cancel() }
            }
        }
        #expect(code == CocoaError.Code.userCancelled.rawValue)
        // The context can be used afterwards.
        #expect(try context.fetch(authors()).count == 2)
    }
}
