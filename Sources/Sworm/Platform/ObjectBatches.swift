#if canImport(CoreData)
import CoreData
import Foundation

/// The ids of the objects that a query finds, and the objects of those batches of them that were used last.
///
/// Core Data's own batches, which `fetchBatchSize` asks for, hide behind an array that tells no id without reading its row.
/// A handle must know its id at any time and on any thread.
final class ObjectBatches {
    let ids: [NSManagedObjectID]
    private let query: EngineQuery
    private let context: NSManagedObjectContext
    /// The last used at the end.
    private var held: [(places: Range<Int>, objects: [NSManagedObject])] = []

    /// How many batches are held. A loop that looks back, or walks in two places at once, reads no batch twice.
    private static let heldCount = 4

    init(_ query: EngineQuery, in context: NSManagedObjectContext) throws {
        let request: NSFetchRequest<NSManagedObjectID> = try Engine.request(query, context)
        request.resultType = .managedObjectIDResultType
        request.relationshipKeyPathsForPrefetching = nil
        ids = try context.fetch(request)
        self.query = query
        self.context = context
    }

    /// The object at a place of the fetch, read with its batch if that is not held. Where it cannot be read, it is a fault,
    /// and says so when it is used.
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
        // Unsaved changes have been counted, and stay in the objects that have them.
        request.includesPendingChanges = false
        request.returnsObjectsAsFaults = false
        request.predicate = NSPredicate(
            format: "self IN %@", argumentArray: [query.prefetch.isEmpty ? faults : objects])
        request.relationshipKeyPathsForPrefetching = query.prefetch.map { $0.joined(separator: ".") }
        // The objects are those of the context, which get their rows by this.
        if !faults.isEmpty || !query.prefetch.isEmpty { _ = try? context.fetch(request) }
        return (places, objects)
    }
}
#endif
