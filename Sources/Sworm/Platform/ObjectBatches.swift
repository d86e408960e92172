#if canImport(CoreData)
import CoreData
import Foundation

/// The ids of the objects that a query finds, and the objects of the most recently used batches.
///
/// Core Data's `fetchBatchSize` returns an array that does not provide an id without reading its row. A handle must
/// know its id at any time and on any thread.
final class ObjectBatches {
    let ids: [NSManagedObjectID]
    private let query: EngineQuery
    private let context: NSManagedObjectContext
    /// The batches that are held, the most recently used one last.
    private var held: [(places: Range<Int>, objects: [NSManagedObject])] = []

    /// The number of batches that are held, so that a loop that steps back, or alternates between two positions, reads
    /// no batch twice.
    private static let heldCount = 4

    init(_ query: EngineQuery, in context: NSManagedObjectContext) throws {
        let request: NSFetchRequest<NSManagedObjectID> = try Engine.request(query, context)
        request.resultType = .managedObjectIDResultType
        request.relationshipKeyPathsForPrefetching = nil
        ids = try context.fetch(request)
        self.query = query
        self.context = context
    }

    /// Returns the object at an index of the fetch, and reads its batch if the batch is not held. If the object cannot
    /// be read, it is a fault, and throws an error when it is used.
    func object(_ place: Int) -> NSManagedObject {
        if let index = held.lastIndex(where: { $0.places.contains(place) }) {
            if index + 1 < held.count { held.append(held.remove(at: index)) }
        } else {
            if held.count == Self.heldCount { held.removeFirst() }
            held.append(read(place / query.batchSize * query.batchSize))
        }
        let batch = held[held.count - 1]
        return batch.objects[place - batch.places.lowerBound]
    }

    private func read(_ start: Int) -> (places: Range<Int>, objects: [NSManagedObject]) {
        let places = start..<start + min(query.batchSize, ids.count - start)
        let objects = ids[places].map { context.object(with: $0) }
        let faults = objects.filter { $0.isFault && !$0.objectID.isTemporaryID }
        let request = NSFetchRequest<NSManagedObject>()
        request.entity = query.entity
        // Unsaved changes were considered when the ids were fetched, and remain in their objects.
        request.includesPendingChanges = false
        request.returnsObjectsAsFaults = false
        request.predicate = NSPredicate(
            format: "self IN %@", argumentArray: [query.prefetch.isEmpty ? faults : objects])
        request.relationshipKeyPathsForPrefetching = query.prefetch.map { $0.joined(separator: ".") }
        // The fetch fills the rows of the existing objects of the context; its result is not needed.
        if !faults.isEmpty || !query.prefetch.isEmpty { _ = try? context.fetch(request) }
        return (places, objects)
    }
}
#endif
