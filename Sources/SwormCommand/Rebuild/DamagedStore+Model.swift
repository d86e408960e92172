import Foundation
import OpenCoreData

extension DamagedStore {
    /// The metadata; nil where they cannot be read.
    func metadata() -> [String: Any]? {
        guard let index = columns["Z_METADATA"]?.firstIndex(of: "Z_PLIST") else { return nil }
        for row in rows(of: "Z_METADATA").rows where row.values.indices.contains(index) {
            guard case .blob(let bytes)? = row.values[index] else { continue }
            if let list = try? PropertyList.dictionary(bytes) { return list }
        }
        return nil
    }

    /// The copy of the model in the store; nil where it cannot be read.
    func cachedModel() -> NSManagedObjectModel? {
        guard let index = columns["Z_MODELCACHE"]?.firstIndex(of: "Z_CONTENT") else { return nil }
        for row in rows(of: "Z_MODELCACHE").rows where row.values.indices.contains(index) {
            guard case .blob(let bytes)? = row.values[index] else { continue }
            if let model = try? StoredModel.model(inCache: bytes, source: "The model cache").model { return model }
        }
        return nil
    }
}
