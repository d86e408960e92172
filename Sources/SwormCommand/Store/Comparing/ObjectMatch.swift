import OpenCoreData
import SwormStore

/// The way in which objects of two stores are matched.
enum ObjectMatch: Sendable {
    /// By entity and key: for two states of one store.
    case id
    /// By the values of some attributes, for the entities that have them all.
    case attributes([String])
    /// By the first uniqueness constraint of each entity that has one.
    case unique

    /// Returns the attributes by which objects of an entity are matched, or nil for their keys.
    func attributes(of entity: CompiledEntity, in model: CompiledModel) -> [String]? {
        func isAttribute(_ name: String) -> Bool {
            if case .attribute? = entity.slot(named: name) { return true }
            return false
        }
        switch self {
        case .id: return nil
        case .attributes(let names): return names.allSatisfy(isAttribute) ? names : nil
        case .unique:
            var next: CompiledEntity? = entity
            while let current = next {
                if let found = current.uniquenessConstraints.first(where: { $0.allSatisfy(isAttribute) }) {
                    return found
                }
                next = current.superentity.map { model[$0] }
            }
            return nil
        }
    }
}

/// The labels of a store's objects for a comparison: their values if they have the attributes, otherwise their keys.
final class ObjectLabels {
    private let match: ObjectMatch
    private var labels: [ObjectName: String] = [:]

    init(of store: StoreReader, by match: ObjectMatch) throws {
        self.match = match
        guard !match.isByID else { return }
        for entity in store.model.entities where !entity.isAbstract {
            guard let attributes = match.attributes(of: entity, in: store.model) else { continue }
            let stream = try ObjectStream(from: store, of: entity, blobs: .hash, only: attributes)
            var counts: [String: Int] = [:]
            while let record = try stream.record() {
                let values = record.properties.map { property -> String in
                    guard case .attribute(let text) = property.value else { return "" }
                    return "\(property.name)=\(text)"
                }
                let label = "\(entity.name)[\(values.joined(separator: ", "))]"
                // Objects with the same values are distinguished by their order.
                let number = counts[label, default: 0] + 1
                counts[label] = number
                labels[record.name] = number > 1 ? "\(label)#\(number)" : label
            }
        }
    }

    func label(_ name: ObjectName) -> String { labels[name] ?? name.description }
}

extension ObjectMatch {
    var isByID: Bool {
        if case .id = self { return true }
        return false
    }
}
