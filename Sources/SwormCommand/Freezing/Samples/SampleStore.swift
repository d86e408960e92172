import Foundation
import OpenCoreData
import SwormPredicates
import SwormSQLite
import SwormStore

/// A small store of made-up objects. Equal models give equal files.
enum SampleStore {
    /// Creates the store.
    ///
    /// - Returns: Warnings about entities without objects.
    static func write(_ description: NSManagedObjectModel, to url: URL) throws -> [String] {
        let model = try description.compiled()
        let sample = SampleRows(model)
        var options = StoreOptions()
        options.modelCache = try description.storeCache()
        options.identifier = identifier(of: model)
        // Without a log, the store is one file.
        options.journalMode = .delete
        let store = try SQLiteStore.open(url: url, model: model, options: options)
        do {
            try store.save(request(sample))
            store.close()
        } catch {
            store.close()
            throw error
        }
        try settle(sample, at: url)
        return sample.missing.map { "the sample store has no objects of \($0.entity): \($0.reason)" }
    }

    /// Returns an identifier that depends on the version hashes alone.
    private static func identifier(of model: CompiledModel) -> UUID {
        let hashes = model.entities.flatMap { Array($0.name.utf8) + Array($0.versionHash) }
        return SampleCandidates.identifier(of: hashes)
    }

    private static func request(_ sample: SampleRows) -> SaveRequest {
        let model = sample.model
        let layout = StoreLayout(model: model)
        var request = SaveRequest()
        for row in sample.rows {
            let relationships = model[row.id.entity].relationships
            var toOnes: [RowID?] = relationships.map { _ in nil }
            for (slot, relationship) in relationships.enumerated() where !relationship.isTransient {
                let destinations = row.links[slot].map { sample.rows[$0].id }
                guard relationship.isToMany else {
                    toOnes[slot] = destinations.first
                    continue
                }
                switch layout.toMany(slot, in: row.id.entity) {
                // A pair of a join table is listed from one side.
                case .join(let join)? where join.isOwner: break
                case .oneWay?: break
                case .join?, .inverse?, nil: continue
                }
                for destination in destinations {
                    request.addedLinks.append(.init(owner: row.id, relationship: slot, destination: destination))
                }
            }
            request.insertions.append(.init(row: row.id, attributes: row.attributes, toOnes: toOnes))
        }
        return request
    }

    /// Gives the times that the save has computed a fixed value, and the pages of the file a fixed order.
    private static func settle(_ sample: SampleRows, at url: URL) throws {
        let times = DerivedValues(sample.model)
        let fixed = Date(timeIntervalSinceReferenceDate: 700_000_000)
        for row in sample.rows { times.add(fixed, of: row.id) }
        try times.write(to: url)
        let connection = try Connection(.file(path: url.path), options: .init(access: .readWrite))
        try connection.execute("VACUUM")
    }
}
