import Foundation
import SwormPredicates
import SwormStore

/// A writer that archives a model for the cache of a store, with the classes and keys that Apple's framework uses.
struct ModelArchiveWriter {
    var writer = KeyedArchiveWriter()
    /// The numbers of entities in the archive, by the identities of the entities.
    private var entities: [ObjectIdentifier: Int] = [:]
    /// The numbers of relationships in the archive, by the identities of the relationships. They refer to the copy in
    /// the entity that declares the relationship.
    var relationships: [ObjectIdentifier: Int] = [:]
    /// The notes about parts that cannot be archived and were left out.
    var notes: [String] = []

    /// Returns the archive in the compressed form that a store saves.
    static func cache(of model: NSManagedObjectModel) throws -> Data {
        do {
            return try Deflate.deflate(archive(of: model))
        } catch {
            throw CoreDataError(NSCoreDataError, "The model cannot be written into the store: \(error).")
        }
    }

    /// Returns the uncompressed archive.
    static func archive(of model: NSManagedObjectModel) -> Data {
        var notes: [String] = []
        return archive(of: model, notes: &notes)
    }

    /// Returns the uncompressed archive, and adds notes about parts that were left out.
    static func archive(of model: NSManagedObjectModel, notes: inout [String]) -> Data {
        var writer = ModelArchiveWriter()
        defer { notes = writer.notes }
        return writer.archive(model)
    }

    private mutating func archive(_ model: NSManagedObjectModel) -> Data {
        let root = writer.reserve()
        let sorted = model.entities.sorted { VersionHash.precedes($0.name ?? "", $1.name ?? "") }
        for entity in sorted { entities[ObjectIdentifier(entity)] = writer.reserve() }
        for relationship in sorted.flatMap(\.ownProperties) where relationship is NSRelationshipDescription {
            relationships[ObjectIdentifier(relationship)] = writer.reserve()
        }
        for entity in sorted { write(entity, model: root) }
        var fields = [
            "NSEntities": knownKeys(sorted), "NSFetchRequestTemplates": KeyedArchiveWriter.null,
            "NSVersionIdentifiers": identifiers(of: model),
        ]
        if !model.configurations.isEmpty {
            let pairs = model.configurations.map { name in
                let members = model.entities(forConfigurationName: name) ?? []
                return (key: name, value: writer.set(members.map(reference)))
            }
            fields["NSConfigurations"] = writer.dictionary(pairs, isMutable: true)
        }
        writer.write(root, lineage: ["NSManagedObjectModel", "NSObject"], fields: fields)
        return writer.data(root: .uid(root))
    }

    /// Archives the keys of the dictionary of entities, which are separate from its values.
    private mutating func knownKeys(_ sorted: [NSEntityDescription]) -> PropertyListValue {
        let names = sorted.map { writer.string($0.name ?? "") }
        let keys = writer.array(names)
        let mapping = writer.object(
            ["NSKnownKeysMappingStrategy1", "NSKnownKeysMappingStrategy", "NSObject"],
            fields: ["keys": keys, "length": .int(Int64(sorted.count)), "version": .int(1)])
        let values = writer.array(sorted.map(reference))
        let token = writer.string("__empty_slot_token_4c24_98dc_ac1e_b773__")
        return writer.object(
            [
                "NSKnownKeysDictionary1", "NSKnownKeysDictionary", "NSMutableDictionary", "NSDictionary", "NSObject",
            ], fields: ["values": values, "searchMapping": mapping, "emptyToken": token, "version": .int(1)])
    }

    private mutating func identifiers(of model: NSManagedObjectModel) -> PropertyListValue {
        let texts = model.versionIdentifiers.map { "\($0.base)" }.sorted()
        return writer.set(texts.map { writer.string($0) })
    }

    /// Returns a reference to an entity; null for an entity that is not in the model.
    func reference(_ entity: NSEntityDescription?) -> PropertyListValue {
        entity.flatMap { entities[ObjectIdentifier($0)] }.map { .uid($0) } ?? KeyedArchiveWriter.null
    }

    // MARK: Entities

    private mutating func write(_ entity: NSEntityDescription, model: Int) {
        guard let number = entities[ObjectIdentifier(entity)] else { return }
        let className = entity.managedObjectClassName ?? "NSManagedObject"
        var fields = [
            "NSEntityName": writer.string(entity.name), "NSManagedObjectModel": PropertyListValue.uid(model),
            "NSClassNameForEntity": writer.string(className == "NSManagedObject" ? nil : className),
            "NSRenamingIdentifier": writer.string(entity.renamingIdentifier),
            "NSVersionHashModifier": writer.string(entity.versionHashModifier),
            "NSSuperentity": reference(entity.superentity), "NSUserInfo": userInfo(entity.userInfo),
        ]
        if entity.isAbstract { fields["NSIsAbstract"] = .bool(true) }
        let subentities = entity.subentities.map { (key: $0.name ?? "", value: reference($0)) }
        fields["NSSubentities"] = writer.dictionary(subentities.sorted { $0.key < $1.key }, isMutable: true)
        let properties = entity.properties.sorted { VersionHash.precedes($0.name, $1.name) }
        let pairs = properties.map { (key: $0.name, value: property($0, of: entity)) }
        fields["NSProperties"] = writer.dictionary(pairs, isMutable: true)
        fields["NSUniqueTuples"] = groups(entity.uniquenessNames)
        fields["NSCompoundIndexes"] = groups(entity.compoundIndexNames)
        fields["NSFetchIndexDescriptions"] = indexes(of: entity, number)
        writer.write(number, lineage: ["NSEntityDescription", "NSObject"], fields: fields)
    }

    private mutating func groups(_ groups: [[String]]) -> PropertyListValue? {
        guard !groups.isEmpty else { return nil }
        let lists = groups.map { group in writer.array(group.map { writer.string($0) }, isMutable: true) }
        return writer.array(lists, isMutable: true)
    }

    /// Archives the fetch indexes, preceded by one for each attribute that is flagged as indexed, like a model in use.
    private mutating func indexes(of entity: NSEntityDescription, _ number: Int) -> PropertyListValue? {
        let flagged = entity.ownProperties.filter { $0.isIndexed && !$0.hasFetchIndex && $0 is NSAttributeDescription }
            .map { property in
                NSFetchIndexDescription(
                    name: property.name, elements: [NSFetchIndexElementDescription(target: .property(property.name))])
            }
        let own = entity.indexes
        let all = flagged.filter { index in !own.contains { $0.name == index.name } } + own
        guard !all.isEmpty else { return nil }
        return writer.array(all.map { self.index($0, entity: number) })
    }

    private mutating func index(_ index: NSFetchIndexDescription, entity: Int) -> PropertyListValue {
        let number = writer.reserve()
        let elements = index.elements.map { element in
            var fields: [String: PropertyListValue] = [
                "NSPropertyName": writer.string(element.propertyName), "NSAscending": .bool(element.isAscending),
                "NSFetchIndexElementType": .int(Int64(element.collationType.rawValue)),
                "NSFetchIndexDescription": .uid(number),
            ]
            if let expression = expression(of: element.target) { fields["NSIndexedProperty"] = expression }
            return writer.object(["NSFetchIndexElementDescription", "NSObject"], fields: fields)
        }
        let predicate = index.partialPredicate.flatMap { writer.predicate($0) }
        writer.write(
            number, lineage: ["NSFetchIndexDescription", "NSObject"],
            fields: [
                "NSIndexName": writer.string(index.name), "NSEntity": .uid(entity),
                "NSIndexElements": writer.array(elements),
                "NSPartialIndexPredicate": predicate ?? KeyedArchiveWriter.null,
            ])
        return .uid(number)
    }

    /// Archives the expression of an element that represents the object or its entity.
    private mutating func expression(of target: NSFetchIndexElementDescription.Target) -> PropertyListValue? {
        let tree: ExpressionTree
        switch target {
        case .property: return nil
        case .primaryKey: tree = .evaluatedObject
        case .entity: tree = .path(["entity"])
        }
        guard let expression = writer.expression(tree) else { return nil }
        return writer.object(
            ["NSExpressionDescription", "NSPropertyDescription", "NSObject"],
            fields: ["NSExpression": expression, "NSExpressionType": .int(0), "_P": .int(0xF1)])
    }

    mutating func userInfo(_ info: [AnyHashable: Any]?) -> PropertyListValue {
        let pairs = (info ?? [:]).compactMap { key, value -> (key: String, value: PropertyListValue)? in
            guard let key = key.base as? String, let value = writer.value(value) else { return nil }
            return (key, value)
        }
        return writer.dictionary(pairs.sorted { $0.key < $1.key })
    }
}

extension NSManagedObjectModel {
    /// Returns the copy of the model that a store saves: a compressed archive.
    package func storeCache() throws -> Data { try ModelArchiveWriter.cache(of: self) }
}
