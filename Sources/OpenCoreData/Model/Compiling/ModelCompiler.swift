import Foundation
import SwormStore

/// A compiler that freezes a model: it checks the model for issues, numbers its entities, and determines the inherited
/// properties.
struct ModelCompiler {
    let model: NSManagedObjectModel
    var issues = IssueList()
    /// The entities in the order of their numbers.
    var ordered: [NSEntityDescription] = []
    /// The numbers of the entities.
    var numbers: [ObjectIdentifier: Int] = [:]
    /// The number of the last entity of each family.
    var lastOfFamily: [Int] = []

    init(model: NSManagedObjectModel) { self.model = model }

    mutating func compile() throws -> NSManagedObjectModel.Compilation {
        if let issue = ModelLimits.issue(of: model.entities) {
            // The checks below take time for every inherited property, so compilation of a model beyond the limits ends
            // here.
            issues.add(issue.message, entity: issue.entity)
            throw issues.error
        }
        checkEntities()
        number()
        for entity in model.entities { checkProperties(of: entity) }
        for entity in model.entities { checkConstraintsAndIndexes(of: entity) }
        checkConfigurations()
        guard issues.isEmpty else { throw issues.error }
        return NSManagedObjectModel.Compilation(model: assemble(), entities: ordered)
    }

    /// Numbers the entities from 1: depth first, siblings by name without regard to case.
    private mutating func number() {
        let roots = model.entities.filter { $0.superentity == nil }
        var pending = Self.siblings(roots)
        pending.reverse()
        var parents: [Int] = []
        while let entity = pending.popLast() {
            guard numbers[ObjectIdentifier(entity)] == nil else { continue }
            ordered.append(entity)
            let number = ordered.count
            numbers[ObjectIdentifier(entity)] = number
            lastOfFamily.append(number)
            parents.append(entity.superentity.flatMap { numbers[ObjectIdentifier($0)] } ?? 0)
            pending.append(contentsOf: Self.siblings(entity.subentities).reversed())
        }
        // Children have higher numbers than their parents, so one reverse pass propagates the last number to the
        // ancestors.
        for number in stride(from: ordered.count, to: 0, by: -1) {
            let parent = parents[number - 1]
            if parent > 0 { lastOfFamily[parent - 1] = max(lastOfFamily[parent - 1], lastOfFamily[number - 1]) }
        }
        for entity in model.entities where numbers[ObjectIdentifier(entity)] == nil && !issuesExplainAbsence(of: entity)
        {
            issues.add(
                "Entity '\(entity.name ?? "")' is its own ancestor. Remove it from the sub-entities of the entities that "
                    + "inherit from it.", entity: entity.name)
        }
    }

    /// Returns whether the reason why an entity was not reached is reported elsewhere.
    private func issuesExplainAbsence(of entity: NSEntityDescription) -> Bool {
        var seen: Set<ObjectIdentifier> = []
        var current: NSEntityDescription? = entity
        while let here = current {
            guard seen.insert(ObjectIdentifier(here)).inserted else { return false }
            if numbers[ObjectIdentifier(here)] != nil { return true }
            current = here.superentity
        }
        // The chain of ancestors ends at an entity outside the model.
        return true
    }

    static func siblings(_ entities: [NSEntityDescription]) -> [NSEntityDescription] {
        let keyed = entities.map { (key: ($0.name ?? "").lowercased(), entity: $0) }
        return keyed.sorted { left, right in
            left.key == right.key
                ? VersionHash.precedes(left.entity.name ?? "", right.entity.name ?? "")
                : VersionHash.precedes(left.key, right.key)
        }.map(\.entity)
    }

    private mutating func checkEntities() {
        let members = Set(model.entities.map(ObjectIdentifier.init))
        if members.count < model.entities.count {
            issues.add("The model's entities contain an entity twice. Add each entity once.")
        }
        var names: Set<String> = []
        var tables: [String: String] = [:]
        for entity in model.entities {
            let name = entity.name ?? ""
            if let issue = ModelNames.issue(of: name) {
                issues.add("The entity name '\(name)' \(issue).", entity: name)
            } else if !names.insert(name).inserted {
                issues.add("There are two entities named '\(name)'. Rename one of them.", entity: name)
            }
            if entity.owningModel !== model {
                issues.add(
                    "Entity '\(name)' was added to another model later. Give that model a copy of it.", entity: name
                )
            }
            checkInheritance(of: entity, named: name, members: members)
            guard entity.superentity == nil else { continue }
            if let other = tables.updateValue(name, forKey: name.uppercased()), other != name {
                issues.add(
                    "The entities '\(other)' and '\(name)' differ only in case, so they would have the same table. "
                        + "Rename one of them.", entity: name)
            }
        }
    }

    private mutating func checkInheritance(
        of entity: NSEntityDescription, named name: String, members: Set<ObjectIdentifier>
    ) {
        if let above = entity.superentity, !members.contains(ObjectIdentifier(above)) {
            issues.add(
                "Entity '\(name)' inherits from '\(above.name ?? "")', which is not in the model's entities. Add it.",
                entity: name)
        }
        for child in entity.subentities {
            let childName = child.name ?? ""
            if !members.contains(ObjectIdentifier(child)) {
                issues.add(
                    "'\(childName)', a sub-entity of '\(name)', is not in the model's entities. Add it.",
                    entity: name)
            } else if child.superentity !== entity {
                issues.add(
                    "Entity '\(childName)' is a sub-entity of both '\(name)' and '\(child.superentity?.name ?? "")'. "
                        + "Remove it from one of them.", entity: childName)
            }
        }
    }

    private mutating func checkConfigurations() {
        let members = Set(model.entities.map(ObjectIdentifier.init))
        for (name, entities) in model.configurationMembers.sorted(by: { VersionHash.precedes($0.key, $1.key) }) {
            for entity in entities where !members.contains(ObjectIdentifier(entity)) {
                issues.add(
                    "Configuration '\(name)' holds entity '\(entity.name ?? "")', which is not in the model's entities. "
                        + "Add it.", entity: entity.name)
            }
        }
    }
}
