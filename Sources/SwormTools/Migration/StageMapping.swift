import Foundation
import Sworm

/// The mapping model of a custom stage: what is carried over by itself, and where closures come in.
struct StageMapping {
    let model = NSMappingModel()
    /// By the name of the entity mapping.
    private(set) var changes: [String: EntityChange] = [:]
    /// The name of the entity mapping that is worked on last.
    private(set) var last: String?

    private let old: NSManagedObjectModel
    private let new: NSManagedObjectModel
    private var faults: [String] = []

    /// - Throws: A ``StoreError`` that lists everything that does not fit the models, or that nothing is said about.
    init(
        from old: NSManagedObjectModel, to new: NSManagedObjectModel, changes: [EntityChange], hasEnd: Bool
    ) throws {
        self.old = old
        self.new = new
        let carried = carriedPairs(changes)
        var added: [NSEntityMapping] = []
        var mappings: [NSEntityMapping] = []
        let known = changes.filter { checkNames(of: $0) }
        for entity in new.entities.sorted(by: { ($0.name ?? "") < ($1.name ?? "") }) where !entity.isAbstract {
            guard let name = entity.name else { continue }
            let own = known.filter { $0.destination == name }
            let sources = carried.filter { $0.destination == name }.map(\.source)
            for change in own { mappings.append(mapping(from: change.source, to: entity, change)) }
            for source in sources { mappings.append(mapping(from: source, to: entity, nil)) }
            if own.isEmpty && sources.isEmpty { added.append(mapping(from: nil, to: entity, nil)) }
        }
        requireDecisions(changes, carried)
        last = (mappings.last ?? added.last)?.name
        if hasEnd { (mappings.last ?? added.last)?.setPolicy() }
        model.entityMappings = added + mappings
        guard faults.isEmpty else {
            throw StoreError(
                .migrationFailed,
                "The stage cannot be carried out:" + faults.map { "\n- \($0)" }.joined())
        }
    }

    // MARK: Entities

    private struct Pair: Hashable {
        let source: String
        let destination: String
    }

    /// The entities whose objects are carried over by themselves: those that no change is about.
    private func carriedPairs(_ changes: [EntityChange]) -> [Pair] {
        namesakes.filter { pair in
            !changes.contains {
                $0.destination == pair.destination && (!$0.makes || $0.source == pair.source)
            }
        }
    }

    /// The entities of both models that belong together by their names.
    private var namesakes: [Pair] {
        new.entities.compactMap { entity in
            guard let name = entity.name, !entity.isAbstract, let source = old.entitiesByName[entity.formerName],
                let sourceName = source.name, !source.isAbstract
            else { return nil }
            return Pair(source: sourceName, destination: name)
        }
    }

    private mutating func checkNames(of change: EntityChange) -> Bool {
        let count = faults.count
        for (name, model, version) in [(change.source, old, "old"), (change.destination, new, "new")] {
            guard let entity = model.entitiesByName[name] else {
                let others = model.entitiesByName.keys.sorted().joined(separator: ", ")
                faults.append("A change names the entity '\(name)', and the \(version) version has: \(others).")
                continue
            }
            if entity.isAbstract { faults.append("A change names the entity '\(name)', which is abstract.") }
        }
        if changes[mappingName(change.source, change.destination)] != nil {
            faults.append("There are two changes from '\(change.source)' to '\(change.destination)'. Make them one.")
        } else {
            changes[mappingName(change.source, change.destination)] = change
        }
        return faults.count == count
    }

    /// Objects must not go only because nobody has thought of them.
    private mutating func requireDecisions(_ changes: [EntityChange], _ carried: [Pair]) {
        for pair in namesakes
        where !carried.contains(where: { $0.source == pair.source })
            && !changes.contains(where: { $0.source == pair.source })
        {
            faults.append(
                "Objects of other entities become '\(pair.destination)', and nothing says what becomes of those of the old "
                    + "'\(pair.source)'. Add a change for them.")
        }
    }

    // MARK: Mappings

    private func mappingName(_ source: String?, _ destination: String) -> String {
        source.map { "\($0) to \(destination)" } ?? "New \(destination)"
    }

    private mutating func mapping(from source: String?, to destination: NSEntityDescription, _ change: EntityChange?)
        -> NSEntityMapping
    {
        let mapping = NSEntityMapping()
        let destinationName = destination.name ?? ""
        mapping.name = mappingName(source, destinationName)
        mapping.destinationEntityName = destinationName
        mapping.destinationEntityVersionHash = new.entityVersionHashesByName[destinationName]
        guard let source, let entity = old.entitiesByName[source] else {
            mapping.mappingType = .addEntityMappingType
            return mapping
        }
        mapping.sourceEntityName = source
        mapping.sourceEntityVersionHash = old.entityVersionHashesByName[source]
        mapping.setSource()
        mapping.mappingType = change == nil ? .transformEntityMappingType : .customEntityMappingType
        if change != nil { mapping.setPolicy() }
        if !(change?.makes ?? false) {
            mapping.attributeMappings = attributes(from: entity, to: destination, isClosed: change == nil)
        }
        if change?.carriesRelations ?? true {
            mapping.relationshipMappings = destination.relationshipsByName.values.sorted { $0.name < $1.name }
                .filter { !$0.isTransient && entity.relationshipsByName[$0.formerName] != nil }
                .map { .relationship($0.name, from: $0.formerName) }
        }
        return mapping
    }

    /// - Parameter isClosed: Whether no closure can set what is not carried over.
    private mutating func attributes(
        from source: NSEntityDescription, to destination: NSEntityDescription, isClosed: Bool
    ) -> [NSPropertyMapping] {
        destination.attributesByName.values.sorted { $0.name < $1.name }.compactMap { attribute in
            guard !attribute.isTransient, !(attribute is NSDerivedAttributeDescription),
                let former = source.attributesByName[attribute.formerName], !former.isTransient
            else { return nil }
            guard attribute.takes(former) else {
                if isClosed {
                    faults.append(
                        "'\(destination.name ?? "").\(attribute.name)' has another type than before, and nothing says what "
                            + "becomes of its values. Add a change from '\(source.name ?? "")' to '\(destination.name ?? "")' that sets it."
                    )
                }
                return nil
            }
            return .attribute(attribute.name, from: attribute.formerName)
        }
    }
}

extension NSEntityDescription {
    fileprivate var formerName: String { renamingIdentifier ?? name ?? "" }
}

extension NSPropertyDescription {
    fileprivate var formerName: String { renamingIdentifier ?? name }
}

extension NSAttributeDescription {
    /// Whether every value of another attribute is a value of this one, too.
    fileprivate func takes(_ former: NSAttributeDescription) -> Bool {
        let wider: [NSAttributeType: [NSAttributeType]] = [
            .integer16AttributeType: [.integer32AttributeType, .integer64AttributeType],
            .integer32AttributeType: [.integer64AttributeType],
            .floatAttributeType: [.doubleAttributeType],
        ]
        if attributeType != former.attributeType {
            return wider[former.attributeType]?.contains(attributeType) ?? false
        }
        guard let composite = self as? NSCompositeAttributeDescription else { return true }
        return composite.versionHash == former.versionHash
    }
}

extension NSEntityMapping {
    /// Has the closures of the stage called.
    fileprivate func setPolicy() {
        entityMigrationPolicyClassName = NSStringFromClass(StagePolicy.self)
        #if !canImport(Darwin)
        setsRelationshipsAsMapped = true
        #endif
    }
}
