#if canImport(CoreData)
import CoreData
import Foundation

/// The ids of the objects that a request finds, and the objects of the most recently used batches.
///
/// Core Data's `fetchBatchSize` returns an array that does not provide an id without reading its row. A handle must
/// know its id at any time and on any thread.
final class FetchedRows {
    let ids: [NSManagedObjectID]
    private let request: RequestContent
    private let entity: NSEntityDescription
    private let context: NSManagedObjectContext
    /// The batches that are held, the most recently used one last.
    private var held: [(rows: Range<Int>, objects: [NSManagedObject])] = []

    /// The number of batches that are held, so that a loop that steps back, or alternates between two positions, reads
    /// no batch twice.
    private static let heldCount = 4

    init(_ content: RequestContent, of entity: NSEntityDescription, in context: NSManagedObjectContext) throws {
        let request: NSFetchRequest<NSManagedObjectID> = try content.fetchRequest(of: entity, in: context)
        request.resultType = .managedObjectIDResultType
        request.relationshipKeyPathsForPrefetching = nil
        ids = try context.fetch(request)
        self.request = content
        self.entity = entity
        self.context = context
    }

    var count: Int { ids.count }

    func id(_ row: Int) -> NSManagedObjectID { ids[row] }

    func objectKey(_ row: Int) -> ObjectKey { ids[row] }

    var mayHaveNamedObjects: Bool { false }

    func namedObject(_ row: Int) -> NSManagedObject? { nil }

    func neededObject(_ row: Int) -> NSManagedObject? { object(row) }

    /// Whether a handle may release an object that it needed: the object's batch holds it as long as it is used.
    static var holdObjects: Bool { true }

    /// Returns the object of a row, and reads its batch if the batch is not held. If the object cannot be read, it is a
    /// fault, and throws an error when it is used.
    func object(_ row: Int) -> NSManagedObject {
        if let index = held.lastIndex(where: { $0.rows.contains(row) }) {
            if index + 1 < held.count { held.append(held.remove(at: index)) }
        } else {
            if held.count == Self.heldCount { held.removeFirst() }
            held.append(read(row / request.batchSize * request.batchSize))
        }
        let batch = held[held.count - 1]
        return batch.objects[row - batch.rows.lowerBound]
    }

    private func read(_ start: Int) -> (rows: Range<Int>, objects: [NSManagedObject]) {
        let rows = start..<start + min(request.batchSize, ids.count - start)
        let objects = ids[rows].map { context.object(with: $0) }
        let faults = objects.filter { $0.isFault && !$0.objectID.isTemporaryID }
        let batch = NSFetchRequest<NSManagedObject>()
        batch.entity = entity
        // Unsaved changes were considered when the ids were fetched, and remain in their objects.
        batch.includesPendingChanges = false
        batch.returnsObjectsAsFaults = false
        batch.predicate = NSPredicate(
            format: "self IN %@", argumentArray: [request.prefetch.isEmpty ? faults : objects])
        batch.relationshipKeyPathsForPrefetching = request.prefetch.map { $0.joined(separator: ".") }
        // The fetch fills the rows of the existing objects of the context; its result is not needed.
        if !faults.isEmpty || !request.prefetch.isEmpty { _ = try? context.fetch(batch) }
        return (rows, objects)
    }
}

/// The members of one object among rows. Never created, because members have objects.
struct RowMembers {
    let count: Int
    func row(_ index: Int) -> Int { index }
}

/// The destination of a to-one relation of a row. Never created, because destinations have objects.
enum FetchedDestination {
    case none
    case row(FetchedRows, Int)
}

extension EntityBinding {
    func value(in rows: FetchedRows, row: Int, at index: Int) throws -> AttributeValue {
        try value(of: rows.object(row), at: index)
    }

    func members(
        in rows: FetchedRows, row: Int, along relation: String
    ) throws -> (rows: FetchedRows, members: RowMembers)? { nil }

    func destination(in rows: FetchedRows, row: Int, along relation: String) throws -> FetchedDestination? { nil }
}
#endif
