import Foundation
import SwormStore

extension NSManagedObjectModel {
    /// Creates a model by merging several models.
    ///
    /// The entities are copied. A relationship refers to the entity with its destination's name in the merged model.
    ///
    /// - Parameter models: The models; if it is nil, the result is nil. To merge the models of the main bundle, use
    ///   ``mergedModel(from:)``.
    /// - Returns: nil if two models have different entities with the same name.
    public convenience init?(byMerging models: [NSManagedObjectModel]?) {
        self.init()
        guard let models, (try? merge(models)) != nil else { return nil }
    }

    /// Creates the model of a store from models that contain its entities.
    ///
    /// - Parameters:
    ///   - models: Models of any version.
    ///   - metadata: The store's metadata.
    /// - Returns: A model of the entities with the store's version hashes, or nil if no model contains one of them.
    public convenience init?(byMerging models: [NSManagedObjectModel], forStoreMetadata metadata: [String: Any]) {
        self.init()
        guard let hashes = metadata[StoreMetadataKey.versionHashes] as? [String: Data] else { return nil }
        if let fitting = models.first(where: { $0.entityVersionHashesByName == hashes }) {
            guard (try? merge([fitting])) != nil else { return nil }
            return
        }
        var missing = hashes
        let parts = models.map { model in
            var taken: Set<String> = []
            for (name, hash) in model.entityVersionHashesByName where missing[name] == hash {
                missing[name] = nil
                taken.insert(name)
            }
            return MergedPart(model: model, names: taken)
        }
        guard missing.isEmpty, (try? merge(parts.filter { !$0.names.isEmpty })) != nil,
            entityVersionHashesByName == hashes
        else { return nil }
    }

    /// Adds copies of the entities of several models.
    ///
    /// - Throws: A `CoreDataError` that names the entities with different versions.
    func merge(_ models: [NSManagedObjectModel]) throws {
        var hashes: [String: Data] = [:]
        var clashes: [String] = []
        let parts = models.map { model in
            var taken: Set<String> = []
            for (name, hash) in model.entityVersionHashesByName {
                if let known = hashes[name] {
                    if known != hash { clashes.append(name) }
                } else {
                    hashes[name] = hash
                    taken.insert(name)
                }
            }
            return MergedPart(model: model, names: taken)
        }
        guard clashes.isEmpty else {
            throw CoreDataError(
                NSCoreDataError,
                "The models cannot be merged: they have different entities with the same name: "
                    + Set(clashes).sorted().joined(separator: ", ")
                    + ". Rename one of each pair, or merge versions of the models that belong together.")
        }
        try merge(parts)
    }

    private func merge(_ parts: [MergedPart]) throws {
        var merged: [NSEntityDescription] = []
        var configurations: [String: [NSEntityDescription]] = [:]
        var identifiers: Set<AnyHashable> = []
        let originals = parts.flatMap { part in
            part.model.entities.filter { part.names.contains($0.name ?? "") }
        }
        let copies = EntityCopier(copying: originals, linkingByName: true).roots
        var copyByName: [String: NSEntityDescription] = [:]
        for (original, copy) in zip(originals, copies) {
            copyByName[original.name ?? ""] = copy
            merged.append(copy)
        }
        for (original, copy) in zip(originals, copies) where copy.superentity == nil {
            // The super-entity was copied from another model, or not at all. In that case, the hash does not match.
            guard let name = original.superentity?.name, let above = copyByName[name] else { continue }
            above.subentities.append(copy)
        }
        for part in parts {
            identifiers.formUnion(part.model.versionIdentifiers)
            requestTemplates.merge(part.model.requestTemplates) { first, _ in first }
            for (name, members) in part.model.configurationMembers {
                configurations[name, default: []] += members.compactMap { member in
                    part.names.contains(member.name ?? "") ? copyByName[member.name ?? ""] : nil
                }
            }
        }
        entities = merged
        versionIdentifiers = identifiers
        configurationMembers = configurations
    }
}

/// The part of one model that a merged model uses.
private struct MergedPart {
    let model: NSManagedObjectModel
    let names: Set<String>
}
