import Foundation
import Sworm

/// The mapping model of a custom stage: the parts that are carried over automatically, and the changes with closures.
struct CustomStageMapping {
    let model = NSMappingModel()
    /// The changes, by the name of the entity mapping.
    private(set) var changes: [String: EntityChange] = [:]
    /// The name of the entity mapping that is processed last.
    private(set) var last: String?

    /// The treatment of relationships that are not carried over completely, by the name of the entity mapping.
    private(set) var links: [String: CustomStageLinks] = [:]

    private let old: NSManagedObjectModel
    private let new: NSManagedObjectModel
    /// The old entity that each new entity matches.
    private let entities: FormerNames
    private var issues: [String] = []

    /// - Throws: A ``StoreError`` that lists everything that does not fit the models, and everything for which a
    ///   decision is missing.
    init(
        from old: NSManagedObjectModel, to new: NSManagedObjectModel, changes: [EntityChange], hasEnd: Bool
    ) throws {
        self.old = old
        self.new = new
        entities = FormerNames(from: Self.items(old), to: Self.items(new))
        let carried = carriedPairs(changes)
        var added: [NSEntityMapping] = []
        var steps: [CustomStageStep] = []
        let known = changes.filter { checkNames(of: $0) }
        for entity in new.entities.sorted(by: { ($0.name ?? "") < ($1.name ?? "") }) where !entity.isAbstract {
            guard let name = entity.name else { continue }
            let own = known.filter { $0.destination == name }.map { ($0.source, Optional($0)) }
            let sources = carried.filter { $0.destination == name }.map { ($0.source, EntityChange?.none) }
            for (source, change) in own + sources {
                if let source = old.entitiesByName[source] {
                    steps.append(CustomStageStep(from: source, to: entity, change: change))
                }
            }
            if own.isEmpty && sources.isEmpty { added.append(addition(of: entity)) }
        }
        let narrowed = NarrowedRelationships(steps)
        let sorted = steps.filter { narrowed.concern($0) } + steps.filter { !narrowed.concern($0) }
        let mappings = sorted.map { mapping(for: $0, links: narrowed.links(of: $0)) }
        requireDecisions(changes, carried: carried)
        last = (mappings.last ?? added.last)?.name
        if hasEnd { (mappings.last ?? added.last)?.setPolicy() }
        model.entityMappings = added + mappings
        guard issues.isEmpty else {
            throw StoreError(
                .migrationFailed,
                "The stage cannot be carried out:" + issues.map { "\n- \($0)" }.joined())
        }
    }

    private static func items(_ model: NSManagedObjectModel) -> [FormerNames.Item] {
        model.entities.map { FormerNames.Item(name: $0.name ?? "", identifier: $0.renamingIdentifier) }
    }

    // MARK: Entities

    private struct Pair: Hashable {
        let source: String
        let destination: String
    }

    /// Returns the entities whose objects are carried over automatically, because no change concerns them.
    private func carriedPairs(_ changes: [EntityChange]) -> [Pair] {
        namesakes.filter { pair in
            !changes.contains {
                $0.destination == pair.destination && (!$0.makes || $0.source == pair.source)
            }
        }
    }

    /// The matching entities of both models that can have objects.
    private var namesakes: [Pair] {
        pairs.filter {
            old.entitiesByName[$0.source]?.isAbstract == false
                && new.entitiesByName[$0.destination]?.isAbstract == false
        }
    }

    private var pairs: [Pair] {
        entities.sources.sorted { $0.key < $1.key }.map { Pair(source: $1, destination: $0) }
    }

    private mutating func checkNames(of change: EntityChange) -> Bool {
        let count = issues.count
        for (name, model, version) in [(change.source, old, "old"), (change.destination, new, "new")] {
            guard let entity = model.entitiesByName[name] else {
                let others = model.entitiesByName.keys.sorted().joined(separator: ", ")
                issues.append(
                    "A change names the entity '\(name)', which the \(version) version does not have. It has: \(others)."
                )
                continue
            }
            if entity.isAbstract { issues.append("A change names the entity '\(name)', which is abstract.") }
        }
        if changes[CustomStageStep.name(from: change.source, to: change.destination)] != nil {
            issues.append("There are two changes from '\(change.source)' to '\(change.destination)'. Combine them.")
        } else {
            changes[CustomStageStep.name(from: change.source, to: change.destination)] = change
        }
        return issues.count == count
    }

    /// Reports objects without a successor, because objects must not be deleted only because a change was forgotten.
    private mutating func requireDecisions(_ changes: [EntityChange], carried: [Pair]) {
        for pair in namesakes
        where !carried.contains(where: { $0.source == pair.source })
            && !changes.contains(where: { $0.source == pair.source })
        {
            issues.append(
                "Objects of other entities become '\(pair.destination)', but no change migrates the objects of the old "
                    + "'\(pair.source)'. Add a change for them.")
        }
        for pair in pairs where !changes.contains(where: { $0.source == pair.source }) {
            guard let before = old.entitiesByName[pair.source], !before.isAbstract,
                let after = new.entitiesByName[pair.destination], after.isAbstract
            else { continue }
            let heirs = new.entities.filter { !$0.isAbstract && $0.isKindOf(entity: after) }.compactMap(\.name).sorted()
            let which = heirs.isEmpty ? "an entity that is not" : heirs.map { "'\($0)'" }.joined(separator: " or ")
            issues.append(
                "'\(pair.destination)' is now abstract, and no change migrates the objects of the old "
                    + "'\(pair.source)'. Add a change from '\(pair.source)' to \(which); a change that creates no objects deletes them."
            )
        }
        for clash in entities.clashes {
            let open = clash.new.filter { name in !changes.contains { $0.destination == name } }
            if !open.isEmpty { issues.append(clash.text("entities", of: nil, open: open)) }
        }
    }

    // MARK: Mappings

    private func addition(of entity: NSEntityDescription) -> NSEntityMapping {
        let mapping = mapping(to: entity, named: "New \(entity.name ?? "")")
        mapping.mappingType = .addEntityMappingType
        return mapping
    }

    private func mapping(to entity: NSEntityDescription, named name: String) -> NSEntityMapping {
        let mapping = NSEntityMapping()
        mapping.name = name
        mapping.destinationEntityName = entity.name
        mapping.destinationEntityVersionHash = entity.name.flatMap { new.entityVersionHashesByName[$0] }
        return mapping
    }

    private mutating func mapping(for step: CustomStageStep, links: CustomStageLinks) -> NSEntityMapping {
        let mapping = mapping(to: step.destination, named: step.name)
        mapping.sourceEntityName = step.sourceName
        mapping.sourceEntityVersionHash = old.entityVersionHashesByName[step.sourceName]
        mapping.setSource()
        let hasPolicy = step.change != nil || links.needPolicy
        mapping.mappingType = hasPolicy ? .customEntityMappingType : .transformEntityMappingType
        if hasPolicy { mapping.setPolicy() }
        #if !canImport(Darwin)
        mapping.setsRelationshipsAlone = hasPolicy && !links.needPolicy && step.change?.relations == nil
        #endif
        if links.needPolicy { self.links[step.name] = links }
        let (attributes, open) = step.attributes()
        if !(step.change?.makes ?? false) { mapping.attributeMappings = attributes }
        // A closure can set the attributes that are not carried over.
        if step.change == nil { issues += open }
        if step.change?.carriesRelations ?? true {
            mapping.relationshipMappings = links.whole.map { .relationship($0.name, from: $0.former) }
        }
        return mapping
    }
}

extension NSEntityMapping {
    /// Makes the mapping call the closures of the stage.
    fileprivate func setPolicy() {
        entityMigrationPolicyClassName = NSStringFromClass(StagePolicy.self)
        #if !canImport(Darwin)
        setsRelationshipsAsMapped = true
        setsRelationshipsAlone = false
        #endif
    }
}
