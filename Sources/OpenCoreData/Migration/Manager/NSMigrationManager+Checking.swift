import Foundation
import SwormStore

extension NSMigrationManager {
    /// Checks that a mapping model matches the two models.
    ///
    /// - Throws: A ``CoreDataError`` that lists all issues.
    final func check(_ mapping: NSMappingModel) throws {
        _ = try sourceModel.compiled()
        _ = try destinationModel.compiled()
        var issues = IssueList(
            code: NSMigrationError, failure: "The mapping model does not fit the models",
            counted: "there are %d issues")
        let hashes = (sourceModel.entityVersionHashesByName, destinationModel.entityVersionHashesByName)
        var names: Set<String> = []
        for entity in mapping.entityMappings ?? [] {
            let name = entity.name ?? ""
            if name.isEmpty {
                issues.add("An entity mapping has no name. Give each one a name of its own.")
            } else if !names.insert(name).inserted {
                issues.add("There are two entity mappings named '\(name)'. Rename one of them.")
            }
            if entity.policyType == nil {
                issues.add(
                    "The policy '\(entity.entityMigrationPolicyClassName ?? "")' of entity mapping '\(name)' is not a known "
                        + "class. Qualify it with its module, or set entityMigrationPolicyType.")
            }
            do {
                _ = try entity.sourcePredicate()
            } catch {
                issues.add("Entity mapping '\(name)' has a sourceExpression that is not valid: \(error)")
            }
            let source = check(
                entity.sourceEntityName, hash: entity.sourceEntityVersionHash, in: sourceModel, hashes: hashes.0,
                side: "old", mapping: name,
                issues: &issues)
            let destination = check(
                entity.destinationEntityName, hash: entity.destinationEntityVersionHash, in: destinationModel,
                hashes: hashes.1,
                side: "new",
                mapping: name, issues: &issues)
            for property in (entity.attributeMappings ?? []) + (entity.relationshipMappings ?? []) {
                check(property, source: source, destination: destination, in: mapping, mapping: name, issues: &issues)
            }
        }
        guard issues.isEmpty else { throw issues.error }
    }

    private func check(
        _ entity: String?, hash: Data?, in model: NSManagedObjectModel, hashes: [String: Data], side: String,
        mapping: String, issues: inout IssueList
    ) -> NSEntityDescription? {
        guard let entity else { return nil }
        guard let found = model.entitiesByName[entity] else {
            issues.add(
                "Entity mapping '\(mapping)' names the entity '\(entity)', which the \(side) model does not have.",
                entity: entity)
            return nil
        }
        if let hash, hash != hashes[entity] {
            issues.add(
                "Entity mapping '\(mapping)' is for another version of the entity '\(entity)' than the version in the \(side) model.",
                entity: entity)
        }
        return found
    }

    private func check(
        _ property: NSPropertyMapping, source: NSEntityDescription?, destination: NSEntityDescription?,
        in model: NSMappingModel, mapping: String, issues: inout IssueList
    ) {
        func refuse(_ name: String, of entity: NSEntityDescription, side: String) {
            issues.add(
                "Entity mapping '\(mapping)' names the property '\(entity.name ?? "").\(name)', which the \(side) model does "
                    + "not have.", entity: entity.name, key: name)
        }
        if let destination {
            let name = property.name ?? ""
            if destination.propertiesByName[Self.first(of: name)] == nil { refuse(name, of: destination, side: "new") }
        }
        let value: MappedValue?
        do {
            value = try property.checkedValue()
        } catch {
            issues.add(
                "Entity mapping '\(mapping)' has an expression for '\(property.name ?? "")' that is not valid: \(error)",
                entity: destination?.name, key: property.name)
            return
        }
        guard let source, let value else { return }
        switch value {
        case .source(let path):
            if source.propertiesByName[Self.first(of: path)] == nil { refuse(path, of: source, side: "old") }
        case .relationship(let path):
            if source.relationshipsByName[Self.first(of: path)] == nil { refuse(path, of: source, side: "old") }
        case .entityMapping(let other, let path):
            if source.relationshipsByName[Self.first(of: path)] == nil { refuse(path, of: source, side: "old") }
            if model.entityMappingsByName[other] == nil {
                issues.add("Entity mapping '\(mapping)' names the entity mapping '\(other)', which does not exist.")
            }
        case .computed, .constant, .block: break
        }
    }

    private static func first(of path: String) -> String { String(path.prefix { $0 != "." }) }
}
