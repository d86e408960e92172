import SwormPredicates

// Comparing a bundle with the model.
extension BundleLedger {
    /// Throws an error if the model does not have the names in a change, or its values have other types.
    func check(_ change: ChangeBundle.Change, of entity: BundleEntity) throws {
        try check(change.key)
        for (name, value) in change.attributes {
            if entity.key.contains(name) {
                throw StoreError(
                    .invalidBundle,
                    "The bundle changes '\(name)' of \(excerpt(change.key)), which is a part of its key. A changed key is a deletion and an insertion.",
                    entity: entity.name, attribute: name)
            }
            try check(value, of: name, in: entity)
        }
        for (name, target) in change.links {
            let relation = try relation(name, of: entity) { !$0.isToMany }
            if let target { try check(target, in: relation, of: entity) }
        }
        for links in [change.added, change.removed] {
            for (name, members) in links {
                let relation = try relation(name, of: entity) { $0.keepsLinks }
                for member in members { try check(member, in: relation, of: entity) }
            }
        }
        for (name, members) in change.orders {
            let relation = try relation(name, of: entity) { $0.isOrdered }
            for member in members { try check(member, in: relation, of: entity) }
        }
    }

    /// Throws an error if an attribute cannot have a value.
    func check(_ value: AttributeValue, of name: String, in entity: BundleEntity) throws {
        guard let attribute = entity.attributes[name] else { throw unknown(name, of: entity) }
        if attribute.fits(value) { return }
        throw StoreError(
            .invalidBundle,
            "'\(name)' of \(entity.name) is \(attribute.type.summary)\(attribute.isOptional ? "" : ", not optional"), and cannot be \(value.summary).",
            entity: entity.name, attribute: name)
    }

    private func check(_ key: ChangeBundle.Key) throws {
        let entity = try entity(named: key.entity)
        guard key.values.count == entity.key.count else {
            throw StoreError(
                .invalidBundle,
                "The key \(excerpt(key)) has \(key.values.count) values. The key of \(entity.name) consists of \(entity.key.joined(separator: ", ")).",
                entity: entity.name)
        }
        for (value, name) in zip(key.values, entity.key) {
            if value == .null {
                throw StoreError(
                    .invalidBundle, "The bundle contains an object of \(entity.name) whose key '\(name)' is nil.",
                    entity: entity.name, attribute: name)
            }
            try check(value, of: name, in: entity)
        }
    }

    private func check(_ key: ChangeBundle.Key, in relation: BundleEntity.Relation, of entity: BundleEntity) throws {
        try check(key)
        guard try self.entity(named: key.entity).lineage.contains(relation.destination) else {
            throw StoreError(
                .invalidBundle,
                "'\(relation.name)' of \(entity.name) is a relation to \(relation.destination), and cannot contain \(excerpt(key)).",
                entity: entity.name, attribute: relation.name)
        }
    }

    private func relation(
        _ name: String, of entity: BundleEntity, where isRight: (BundleEntity.Relation) -> Bool
    ) throws -> BundleEntity.Relation {
        guard let relation = entity.relations[name] else { throw unknown(name, of: entity) }
        if isRight(relation) { return relation }
        throw StoreError(
            .invalidBundle,
            "The bundle contains a change of '\(name)' of \(entity.name) that this relation cannot have.",
            entity: entity.name, attribute: name)
    }

    private func unknown(_ name: String, of entity: BundleEntity) -> StoreError {
        StoreError(
            .unknownName,
            "The bundle contains '\(excerpt(name))' of \(entity.name), which the model does not have. Update the program that applies it.",
            entity: entity.name, attribute: name)
    }
}
