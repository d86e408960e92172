import SwormPredicates
import SwormSQLite
import SwormRows
import SwormStore

/// The rows of a fetch of which only the most recently used batches are in memory.
final class RowBatches {
    let identities: [RowID]
    private let entity: Int
    private let reading: FetchReading
    private let origin: ObjectOrigin
    /// The batches in memory, with the most recently used one at the end.
    private var held: [Batch] = []
    /// The row generation of the context in which the batches were read.
    private var rowGeneration: UInt64 = 0
    /// The start indexes of batches that contain a damaged row. Their rows are read one by one.
    private var damaged: Set<Int> = []

    /// The number of batches in memory. It is large enough that a loop that looks back, or that iterates at two
    /// positions at once, does not read a batch twice.
    static let heldCount = 4

    private struct Batch {
        let places: Range<Int>
        let group: RowSet
        let rows: [Int64: Int]
    }

    init(_ identities: [RowID], entity: Int, reading: FetchReading, origin: ObjectOrigin) {
        self.identities = identities
        self.entity = entity
        self.reading = reading
        self.origin = origin
    }

    /// Returns the row at an index of the fetch, reading its batch if it is not in memory.
    ///
    /// - Throws: A ``CoreDataError`` with the code `NSManagedObjectReferentialIntegrityError` if the row no longer
    ///   exists.
    func row(_ place: Int, in context: NSManagedObjectContext) throws -> (group: RowSet, row: Int) {
        let batch = try batch(holding: place, in: context)
        let identity = identities[place]
        guard let row = batch.rows[identity.key] else {
            let entity = origin.compiled[identity.entity]
            throw CoreDataError.missingRow(
                of: entity.name, id: NSManagedObjectID(entity: entity, key: identity.key, origin: origin))
        }
        return (batch.group, row)
    }

    private func batch(holding place: Int, in context: NSManagedObjectContext) throws -> Batch {
        if rowGeneration != context.faulting.rowGeneration {
            held.removeAll()
            damaged.removeAll()
            rowGeneration = context.faulting.rowGeneration
        }
        if let index = held.lastIndex(where: { $0.places.contains(place) }) {
            if index + 1 < held.count { held.append(held.remove(at: index)) }
        } else {
            let batch = try read(place, in: context)
            if held.count == Self.heldCount { held.removeFirst() }
            held.append(batch)
        }
        return held[held.count - 1]
    }

    private func read(_ place: Int, in context: NSManagedObjectContext) throws -> Batch {
        let start = place / reading.batchSize * reading.batchSize
        if !damaged.contains(start) {
            do {
                return try read(start..<start + min(reading.batchSize, identities.count - start), in: context)
            } catch let error as CoreDataError where error.isOfDamage {
                // An error in a neighbour's row must not affect this row.
                damaged.insert(start)
            }
        }
        return try read(place..<place + 1, in: context)
    }

    private func read(_ places: Range<Int>, in context: NSManagedObjectContext) throws -> Batch {
        let group = try context.readRows(identities[places].map(\.key), entity: entity, origin: origin)
        try group.checkEntities(model: origin.compiled)
        try context.prefetch(reading.prefetch, in: group, origin: origin)
        var rows: [Int64: Int] = [:]
        for row in 0..<group.buffer.count { rows[group.key(row: row)] = row }
        return Batch(places: places, group: group, rows: rows)
    }
}
