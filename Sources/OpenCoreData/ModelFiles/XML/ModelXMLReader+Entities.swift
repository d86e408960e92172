import Foundation
import SwormPredicates
import SwormStore

extension ModelXMLReader {
    mutating func entity(from element: XMLTree) -> NSEntityDescription {
        let entity = NSEntityDescription()
        let attributes = element.attributes
        let name = attributes["name"] ?? ""
        if name.isEmpty { report("An entity has no name.", at: element) }
        entity.name = name
        if let className = attributes["representedClassName"], !className.isEmpty {
            entity.managedObjectClassName = className
        }
        entity.isAbstract = flag("isAbstract", of: element, owner: "entity '\(name)'")
        entity.versionHashModifier = attributes["versionHashModifier"]
        if let identifier = attributes["elementID"], !identifier.isEmpty { entity.renamingIdentifier = identifier }
        entity.userInfo = userInfo(of: element)

        var properties: [NSPropertyDescription] = []
        var indexes: [NSFetchIndexDescription] = []
        for child in element.children {
            switch child.name {
            case "attribute", "composite": properties.append(attribute(from: child, in: name, depth: 0))
            case "relationship": properties.append(relationship(from: child, in: name))
            case "fetchedProperty": properties.append(fetchedProperty(from: child, in: name))
            case "fetchIndex": indexes.append(index(from: child, in: name))
            case "compoundIndexes":
                entity.compoundIndexes += child.children(named: "compoundIndex").map { values(of: "index", in: $0) }
            case "uniquenessConstraints":
                entity.uniquenessConstraints += child.children(named: "uniquenessConstraint").map {
                    values(of: "constraint", in: $0)
                }
            default: break
            }
        }
        // Apple's model compiler flags an attribute that is the only element of an index, and stores then have an index
        // for the flag, too.
        for index in indexes where index.elements.count == 1 && index.partialPredicateText == nil {
            guard let element = index.elements.first, element.isAscending, element.collationType == .binary,
                case .property(let name) = element.target
            else { continue }
            properties.first { $0.name == name && $0 is NSAttributeDescription }?.isIndexed = true
        }
        entity.properties = properties
        entity.indexes = indexes
        return entity
    }

    private func values(of name: String, in element: XMLTree) -> [String] {
        element.children(named: name).map { $0.attributes["value"] ?? "" }
    }

    func userInfo(of element: XMLTree) -> [AnyHashable: Any]? {
        var result: [AnyHashable: Any]?
        for entry in element.children(named: "userInfo").flatMap({ $0.children(named: "entry") }) {
            guard let key = entry.attributes["key"] else { continue }
            result = result ?? [:]
            result?[key] = entry.attributes["value"] ?? ""
        }
        return result
    }

    /// Reads the parts that attributes, relationships and fetched properties have in common.
    mutating func readCommon(_ property: NSPropertyDescription, from element: XMLTree, in entity: String) {
        let name = element.attributes["name"] ?? ""
        if name.isEmpty { report("A property of entity '\(entity)' has no name.", at: element, entity: entity) }
        let path = "property '\(entity).\(name)'"
        property.name = name
        property.isOptional = flag("optional", of: element, owner: path)
        property.isTransient = flag("transient", of: element, owner: path)
        property.isIndexed = flag("indexed", of: element, owner: path)
        property.isIndexedBySpotlight = flag("spotlightIndexingEnabled", of: element, owner: path)
        property.versionHashModifier = element.attributes["versionHashModifier"]
        if let identifier = element.attributes["elementID"], !identifier.isEmpty {
            property.renamingIdentifier = identifier
        }
        property.userInfo = userInfo(of: element)
    }

    private mutating func relationship(from element: XMLTree, in entity: String) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        readCommon(relationship, from: element, in: entity)
        let path = "\(entity).\(relationship.name)"
        relationship.isOrdered = flag("ordered", of: element, owner: "relationship '\(path)'")
        relationship.minCount = count("minCount", of: element, owner: "relationship '\(path)'")
        relationship.maxCount = count("maxCount", of: element, owner: "relationship '\(path)'")
        switch element.attributes["deletionRule"] {
        case nil, "Nullify": relationship.deleteRule = .nullifyDeleteRule
        case "Cascade": relationship.deleteRule = .cascadeDeleteRule
        case "Deny": relationship.deleteRule = .denyDeleteRule
        case "No Action": relationship.deleteRule = .noActionDeleteRule
        case .some(let other):
            report(
                "Relationship '\(path)' has the delete rule '\(other)'; it must be Nullify, Cascade, Deny or No Action.",
                at: element, entity: entity, key: relationship.name)
        }
        let link = RelationshipLink(
            relationship: relationship, path: path, destination: element.attributes["destinationEntity"],
            inverse: element.attributes["inverseName"], inverseEntity: element.attributes["inverseEntity"])
        links.append((link, element))
        return relationship
    }

    private mutating func fetchedProperty(from element: XMLTree, in entity: String) -> NSFetchedPropertyDescription {
        let property = NSFetchedPropertyDescription()
        readCommon(property, from: element, in: entity)
        if let request = element.children(named: "fetchRequest").first {
            property.request = self.request(
                from: request, owner: "the request of fetched property '\(entity).\(property.name)'")
        }
        return property
    }

    private mutating func index(from element: XMLTree, in entity: String) -> NSFetchIndexDescription {
        let name = element.attributes["name"] ?? ""
        let path = "index '\(name)' of entity '\(entity)'"
        var members: [NSFetchIndexElementDescription] = []
        for child in element.children(named: "fetchIndexElement") {
            guard let target = target(of: child, path, entity: entity) else { continue }
            let type: NSFetchIndexElementType
            switch child.attributes["type"] {
            case nil, "Binary", "binary": type = .binary
            case "RTree", "rTree", "R-Tree": type = .rTree
            case .some(let other):
                report(
                    "The \(path) has the element type '\(other)'; it must be Binary or RTree.", at: child,
                    entity: entity)
                continue
            }
            switch child.attributes["order"] {
            case nil, "ascending": members.append(.init(target: target, collationType: type, isAscending: true))
            case "descending": members.append(.init(target: target, collationType: type, isAscending: false))
            case .some(let other):
                report(
                    "The \(path) has the order '\(other)'; it must be ascending or descending.", at: child,
                    entity: entity)
            }
        }
        let index = NSFetchIndexDescription(name: name, elements: members)
        if let text = element.attributes["partialIndexPredicate"] ?? element.attributes["predicate"], !text.isEmpty {
            index.partialPredicateText = text
            do {
                index.partialPredicate = try parsePredicate(text)
            } catch {
                report("The \(path) has a predicate that cannot be parsed: \(error)", at: element, entity: entity)
            }
        }
        return index
    }

    private mutating func target(of element: XMLTree, _ path: String, entity: String)
        -> NSFetchIndexElementDescription.Target?
    {
        if let name = element.attributes["property"], !name.isEmpty { return .property(name) }
        switch element.attributes["expression"]?.trimmingCharacters(in: .whitespaces) {
        case "self", "SELF": return .primaryKey
        case "entity": return .entity
        case .some(let other) where ModelNames.issue(of: other) == nil: return .property(other)
        case .some(let other):
            report(
                "The \(path) has the expression '\(other)'; only self, entity and properties can be indexed.",
                at: element,
                entity: entity)
        case nil: report("The \(path) has an element without a property or an expression.", at: element, entity: entity)
        }
        return nil
    }
}
