import Foundation
import SwormPredicates

extension TableModel {
    /// Returns the issues that prevent tables from forming a model.
    ///
    /// - Parameters:
    ///   - mappings: The tables, including all tables that they refer to.
    ///   - tableIssues: The issues that are found in the tables without a model.
    static func modelIssues(of mappings: [any AnyEntityMapping], tableIssues: [TableIssue]) -> [TableIssue] {
        var issues = tableIssues
        var entities: [String: any AnyEntityMapping] = [:]
        var capitalised: [String: String] = [:]
        for mapping in mappings {
            let name = mapping.entityName
            if mapping.isOwnCase { continue }
            if let other = entities.updateValue(mapping, forKey: name) {
                issues.append(
                    TableIssue(
                        .repeatedEntity, entity: name, member: nil,
                        message:
                            "the types \(other.typeName) and \(mapping.typeName) both have this entity name; give one of them another `entityName`"
                    ))
            } else if let other = capitalised.updateValue(name, forKey: name.uppercased()) {
                issues.append(
                    TableIssue(
                        .repeatedEntity, entity: name, member: nil,
                        message: "the name differs from that of the entity '\(other)' only in case"))
            }
            if !name.isEmpty, let problem = problem(ofName: name) {
                issues.append(
                    TableIssue(.illegalName, entity: name, member: nil, message: "the entity name \(problem)"))
            }
            issues += propertyIssues(of: mapping)
        }
        return issues
    }

    private static func propertyIssues(of mapping: any AnyEntityMapping) -> [TableIssue] {
        var issues: [TableIssue] = []
        func issue(_ kind: TableIssue.Kind, at member: String, saying message: String) {
            issues.append(TableIssue(kind, entity: mapping.entityName, member: member, message: message))
        }
        let composites = Set(mapping.composites.map(\.name))
        let elementNames = Set(mapping.composites.flatMap(\.elementNames))
        let elements = mapping.attributes.filter { elementNames.contains($0.name) }
            .map { $0.name.split(separator: ".", omittingEmptySubsequences: false) }
        for parts in elements {
            for part in parts.dropFirst() {
                guard let problem = problem(ofName: String(part)) else { continue }
                issue(
                    .illegalName, at: parts.joined(separator: "."),
                    saying: "the name '\(part)' of an element \(problem)")
            }
        }
        let paths = Set(elements.map { $0.joined(separator: ".") })
        let names = mapping.attributes.map(\.name).filter { !paths.contains($0) }
        for name in names + composites.sorted() + mapping.relations.map(\.name) where !name.isEmpty {
            if let problem = problem(ofName: name) {
                issue(.illegalName, at: name, saying: "the name \(problem)")
            } else if reservedNames.contains(name) {
                issue(
                    .illegalName, at: name, saying: "every managed object has a method of this name; use another name")
            }
        }
        for attribute in mapping.attributes {
            guard case .int(let number) = attribute.defaultValue else { continue }
            let fits =
                switch attribute.traits.storageType {
                case .integer16: Int16(exactly: number) != nil
                case .integer32: Int32(exactly: number) != nil
                default: true
                }
            if !fits {
                issue(
                    .unfitDefault, at: attribute.name,
                    saying:
                        "a new instance has the value \(number), which \(attribute.traits.storageType.summary) cannot hold"
                )
            }
        }
        for relation in mapping.ownRelations {
            if let inverse = relation.inverse,
                !relation.destination.anyMapping.relations.contains(where: { $0.name == inverse.name })
            {
                issue(
                    .unknownInverse, at: relation.name,
                    saying:
                        "its inverse \(relation.destination.entityName).\(inverse.name) is not a stored property of its relations"
                )
            }
            if relation.kind != .toOne, relation.maximumCount == 1 {
                issue(
                    .unfitOption, at: relation.name,
                    saying: "a to-many relation with at most one destination; use `ToOneRelation`")
            }
            if relation.minimumCount < 0 || relation.maximumCount < 0 {
                issue(.unfitOption, at: relation.name, saying: "`.count` is negative")
            }
        }
        for index in mapping.indexes where index.name.contains("\"") || index.name.contains("\0") {
            issue(.illegalName, at: oneLine(index.name), saying: "the name of the index has an invalid character")
        }
        for (columns, kind) in mapping.uniquenessConstraints.map({ ($0, "a uniqueness constraint") })
            + mapping.indexes.map({ ($0.elements.map(\.attribute), "the index '\($0.name)'") })
        {
            for column in columns where paths.contains(column) {
                issue(
                    .unfitOption, at: column,
                    saying:
                        "\(kind) names an element of a composite attribute; declare the property outside of the composite"
                )
            }
        }
        for constraint in mapping.uniquenessConstraints where Set(constraint).count < constraint.count {
            issue(
                .repeatedName, at: constraint.joined(separator: ", "),
                saying: "a uniqueness constraint names one attribute twice")
        }
        return issues
    }

    /// Returns what is wrong with a name that is not empty; nil for a valid name.
    ///
    /// Names become parts of key paths and of the names in the store.
    private static func problem(ofName name: String) -> String? {
        if name.count > 128 { return "is longer than 128 characters" }
        for (index, scalar) in name.unicodeScalars.enumerated() {
            let isDigit = scalar.properties.numericType != nil
            if index == 0, isDigit { return "begins with a digit" }
            if !(scalar == "_" || scalar.properties.isAlphabetic || isDigit || isMark(scalar)) {
                let shown = scalar.value < 0x20 || scalar.value == 0x7F ? "a control character" : "'\(scalar)'"
                return "contains \(shown); use letters, digits and underscores"
            }
        }
        return nil
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark: true
        default: false
        }
    }

    /// The names of the methods without parameters that every managed object has: key-value coding would call these
    /// methods instead of reading the property.
    private static let reservedNames: Set<String> = [
        "autorelease", "class", "classForCoder", "classForKeyedArchiver", "copy", "dealloc", "debugDescription",
        "description", "finalize", "hash", "init", "isProxy", "mutableCopy", "observationInfo", "release", "retain",
        "retainCount", "self", "superclass", "zone", "awakeFromFetch", "awakeFromInsert", "changedValues",
        "changedValuesForCurrentEvent", "didSave", "didTurnIntoFault", "entity", "faultingState", "hasChanges",
        "hasPersistentChangedValues", "isDeleted", "isFault", "isInserted", "isUpdated", "managedObjectContext",
        "objectID", "prepareForDeletion", "willSave", "willTurnIntoFault",
    ]
}
