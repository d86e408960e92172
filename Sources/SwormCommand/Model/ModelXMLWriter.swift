import Foundation
import OpenCoreData
import SwormPredicates
import SwormStore

/// A writer that produces a model's `contents` document of an `.xcdatamodel` folder. If the document is read again, the
/// model has the same version hashes.
///
/// Properties that the document cannot express, such as the default of a transformable attribute, are written as
/// comments.
struct ModelXMLWriter {
    private var text = ""
    private var depth = 0

    static func text(_ model: NSManagedObjectModel) -> String {
        var writer = ModelXMLWriter()
        writer.write(model)
        return writer.text
    }

    private mutating func write(_ model: NSManagedObjectModel) {
        text = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
        var attributes = [("type", "com.apple.IDECoreDataModeler.DataModel"), ("documentVersion", "1.0")]
        attributes += [("minimumToolsVersion", "Automatic"), ("sourceLanguage", "Swift")]
        let identifiers = model.versionIdentifiers.compactMap { $0.base as? String }.sorted()
        // A missing identifier is not the same as an empty one.
        if let first = identifiers.first { attributes.append(("userDefinedModelVersionIdentifier", first)) }
        element("model", attributes: attributes) { writer in
            if identifiers.count > 1 {
                writer.comment("further version identifiers: \(identifiers.dropFirst().joined(separator: ", "))")
            }
            for entity in model.entities { writer.write(entity) }
            for (name, request) in model.requestTemplates.sorted(by: { $0.key < $1.key }) {
                writer.write(request, name: name)
            }
            for name in model.configurations.sorted() where name != "PF_DEFAULT_CONFIGURATION_NAME" {
                writer.element("configuration", attributes: [("name", name)]) { writer in
                    for entity in model.entities(forConfigurationName: name) ?? [] {
                        writer.element("memberEntity", attributes: [("name", entity.name ?? "")])
                    }
                }
            }
        }
    }

    private mutating func write(_ entity: NSEntityDescription) {
        var attributes = [("name", entity.name ?? "")]
        if let name = entity.managedObjectClassName, !name.isEmpty, name != "NSManagedObject" {
            attributes.append(("representedClassName", name))
        }
        if let above = entity.superentity?.name { attributes.append(("parentEntity", above)) }
        if entity.isAbstract { attributes.append(("isAbstract", "YES")) }
        if let modifier = entity.versionHashModifier { attributes.append(("versionHashModifier", modifier)) }
        if let former = entity.renamingIdentifier, former != entity.name { attributes.append(("elementID", former)) }
        attributes.append(("syncable", "YES"))
        element("entity", attributes: attributes) { writer in
            // An index of a single attribute already marks it as indexed, so the attribute gets no additional flag.
            let flagged = entity.indexes.filter { $0.elements.count == 1 && $0.partialPredicate == nil }
                .compactMap { $0.elements.first?.propertyName }
            for property in entity.ownProperties { writer.write(property, isFlagged: flagged.contains(property.name)) }
            for index in entity.indexes { writer.write(index) }
            writer.lists(
                outer: "uniquenessConstraints", middle: "uniquenessConstraint", inner: "constraint",
                entity.uniquenessNames)
            writer.lists(outer: "compoundIndexes", middle: "compoundIndex", inner: "index", entity.compoundIndexNames)
            writer.write(entity.userInfo)
        }
    }

    private mutating func write(_ property: NSPropertyDescription, isFlagged: Bool = false) {
        var attributes = [("name", property.name)]
        if property.isOptional { attributes.append(("optional", "YES")) }
        if property.isTransient { attributes.append(("transient", "YES")) }
        if property.isIndexed, !isFlagged { attributes.append(("indexed", "YES")) }
        if property.isIndexedBySpotlight { attributes.append(("spotlightIndexingEnabled", "YES")) }
        if let modifier = property.versionHashModifier { attributes.append(("versionHashModifier", modifier)) }
        if let former = property.renamingIdentifier, former != property.name {
            attributes.append(("elementID", former))
        }
        switch property {
        case let attribute as NSAttributeDescription: write(attribute, with: attributes)
        case let relationship as NSRelationshipDescription:
            element("relationship", attributes: attributes + Self.attributes(relationship)) {
                $0.write(relationship.userInfo)
            }
        case let fetched as NSFetchedPropertyDescription:
            element("fetchedProperty", attributes: attributes) { writer in
                writer.write(fetched.request, name: "fetchedPropertyFetchRequest")
                writer.write(fetched.userInfo)
            }
        default: break
        }
    }

    private mutating func write(_ request: RequestTemplate, name: String) {
        var attributes = [("name", name)]
        if let entity = request.entityName { attributes.append(("entity", entity)) }
        if let text = request.predicateText { attributes.append(("predicateString", text)) }
        let numbers = [
            ("fetchLimit", request.fetchLimit), ("fetchBatchSize", request.fetchBatchSize),
            ("resultType", Int(clamping: request.resultType)),
        ]
        attributes += numbers.filter { $0.1 != 0 }.map { ($0.0, "\($0.1)") }
        if !request.includesSubentities { attributes.append(("includesSubentities", "NO")) }
        if !request.includesPropertyValues { attributes.append(("includesPropertyValues", "NO")) }
        if !request.returnsObjectsAsFaults { attributes.append(("returnsObjectsAsFaults", "NO")) }
        if request.returnsDistinctResults { attributes.append(("returnDistinctResults", "YES")) }
        element("fetchRequest", attributes: attributes)
        // The document has no order.
        if let sorts = request.sortDescriptors, !sorts.isEmpty {
            let keys = sorts.map { "\($0.key ?? "?")\($0.ascending ? "" : " descending")" }
            comment("\(name) is sorted by \(keys.joined(separator: ", "))")
        }
    }

    private mutating func write(_ attribute: NSAttributeDescription, with common: [(String, String)]) {
        if let composite = attribute as? NSCompositeAttributeDescription {
            element("composite", attributes: common) { writer in
                for member in composite.elements { writer.write(member) }
                writer.write(composite.userInfo)
            }
            if composite.defaultValue != nil { comment("the default of \(composite.name) cannot be written here") }
            return
        }
        let type = attribute.attributeType.attributeType
        var attributes = common
        if type != .undefined {
            attributes.append(("attributeType", type == .binaryData ? "Binary" : type.displayName))
        }
        if attribute.allowsExternalBinaryDataStorage { attributes.append(("allowsExternalBinaryDataStorage", "YES")) }
        if attribute.preservesValueInHistoryOnDeletion { attributes.append(("preserveAfterDeletion", "YES")) }
        if attribute.allowsCloudEncryption { attributes.append(("allowsCloudEncryption", "YES")) }
        if let name = attribute.valueTransformerName { attributes.append(("valueTransformerName", name)) }
        if type == .transformable, let name = attribute.attributeValueClassName {
            attributes.append(("customClassName", name))
        }
        if let derived = attribute as? NSDerivedAttributeDescription {
            attributes += [("derived", "YES"), ("derivationExpression", derived.derivation ?? "")]
        }
        let (rules, unsaid) = ModelXMLRules.attributes(of: attribute)
        attributes += rules
        element("attribute", attributes: attributes) { $0.write(attribute.userInfo) }
        for text in unsaid { comment("\(attribute.name): \(text)") }
    }

    private static func attributes(_ relationship: NSRelationshipDescription) -> [(String, String)] {
        var attributes: [(String, String)] = []
        if relationship.isToMany { attributes.append(("toMany", "YES")) }
        if relationship.minCount != 0 { attributes.append(("minCount", "\(relationship.minCount)")) }
        if relationship.maxCount != 0 { attributes.append(("maxCount", "\(relationship.maxCount)")) }
        let rule =
            switch relationship.deleteRule {
            case .noActionDeleteRule: "No Action"
            case .nullifyDeleteRule: "Nullify"
            case .cascadeDeleteRule: "Cascade"
            case .denyDeleteRule: "Deny"
            }
        attributes.append(("deletionRule", rule))
        if relationship.isOrdered { attributes.append(("ordered", "YES")) }
        if let name = relationship.destinationEntity?.name { attributes.append(("destinationEntity", name)) }
        if let inverse = relationship.inverseRelationship {
            attributes += [("inverseName", inverse.name), ("inverseEntity", inverse.entity.name ?? "")]
        }
        return attributes
    }

    private mutating func write(_ index: NSFetchIndexDescription) {
        var attributes = [("name", index.name)]
        if let text = index.partialPredicateText ?? index.partialPredicate?.format {
            attributes.append(("partialIndexPredicate", text))
        }
        element("fetchIndex", attributes: attributes) { writer in
            for member in index.elements {
                var attributes: [(String, String)]
                switch member.target {
                case .property(let name): attributes = [("property", name)]
                case .primaryKey: attributes = [("expression", "self")]
                case .entity: attributes = [("expression", "entity")]
                }
                attributes.append(("type", member.collationType == .rTree ? "RTree" : "Binary"))
                attributes.append(("order", member.isAscending ? "ascending" : "descending"))
                writer.element("fetchIndexElement", attributes: attributes)
            }
        }
    }

    private mutating func lists(outer: String, middle: String, inner: String, _ lists: [[String]]) {
        guard !lists.isEmpty else { return }
        element(outer, attributes: []) { writer in
            for list in lists {
                writer.element(middle, attributes: []) { writer in
                    for name in list { writer.element(inner, attributes: [("value", name)]) }
                }
            }
        }
    }

    private mutating func write(_ userInfo: [AnyHashable: Any]?) {
        guard let userInfo else { return }
        let entries = userInfo.compactMap { key, value in (key.base as? String).map { ($0, "\(value)") } }
        element("userInfo", attributes: []) { writer in
            for (key, value) in entries.sorted(by: { $0.0 < $1.0 }) {
                writer.element("entry", attributes: [("key", key), ("value", value)])
            }
        }
    }

    // MARK: Text

    private var indent: String { String(repeating: "    ", count: depth) }

    private mutating func element(
        _ name: String, attributes: [(String, String)], _ body: (inout ModelXMLWriter) -> Void = { _ in }
    ) {
        text += "\(indent)<\(name)" + attributes.map { " \($0.0)=\"\(Self.escaped($0.1))\"" }.joined()
        text += ">\n"
        depth += 1
        let length = text.utf8.count
        body(&self)
        depth -= 1
        if text.utf8.count == length {
            text.removeLast(2)
            text += "/>\n"
        } else {
            text += "\(indent)</\(name)>\n"
        }
    }

    private mutating func comment(_ what: String) {
        // A comment must not contain two adjacent hyphens, and careful readers reject anything that looks like a
        // processing instruction or a document type. Check scalars, because XML ignores combining accents.
        var words = String.UnicodeScalarView()
        for scalar in what.unicodeScalars {
            switch (words.last, scalar) {
            case ("-", "-"), ("<", "?"), ("<", "!"): words.append(" ")
            default: break
            }
            words.append(Self.allowed(scalar))
        }
        text += "\(indent)<!-- \(String(words)) -->\n"
    }

    /// Returns a string in the form in which it appears between the quotes of an attribute.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\n", "\r", "\t": result += "&#\(scalar.value);"
            default: result.unicodeScalars.append(allowed(scalar))
            }
        }
        return result
    }

    /// Returns a scalar, or a replacement if XML 1.0 cannot represent it.
    private static func allowed(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar {
        case "\n", "\r", "\t": scalar
        case "\u{0}"..<"\u{20}", "\u{FFFE}", "\u{FFFF}": "\u{FFFD}"
        default: scalar
        }
    }
}
