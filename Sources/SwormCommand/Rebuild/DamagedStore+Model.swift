import Foundation
import OpenCoreData
import SwormStore

extension DamagedStore {
    /// Returns the metadata, or nil if it cannot be read.
    func metadata() -> [String: Any]? {
        for case .blob(let bytes)? in values(in: "Z_METADATA", column: "Z_PLIST", at: 2, of: 3) {
            if let list = try? PropertyList.dictionary(bytes) { return list }
        }
        return nil
    }

    /// Returns the copy of the model in the store, or nil if it cannot be read.
    func cachedModel() -> NSManagedObjectModel? {
        for case .blob(let bytes)? in values(in: "Z_MODELCACHE", column: "Z_CONTENT", at: 0, of: 1) {
            if let model = try? StoredModel.model(inCache: bytes, source: "The model cache").model { return model }
        }
        return nil
    }

    /// Returns the values of a column. If the table is not in the schema, its rows are searched for by their form.
    private func values(in table: String, column: String, at usual: Int, of count: Int) -> [ExactValue?] {
        func isRow(_ row: Row) -> Bool {
            guard row.values.count == count, case .blob? = row.values[usual] else { return false }
            return true
        }
        let index = columns[table]?.firstIndex(of: column) ?? usual
        var seen: Set<Int64> = []
        return (hasTable(table) ? leaves(of: table) : leaves(where: isRow)).flatMap { leaf in
            rows(on: leaf, seen: &seen) { $0.values.indices.contains(index) }.rows.map { $0.values[index] }
        }
    }
}
