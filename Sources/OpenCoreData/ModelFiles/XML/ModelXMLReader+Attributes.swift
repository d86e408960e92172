import Foundation
import SwormPredicates
import SwormStore

extension ModelXMLReader {
    mutating func attribute(from element: XMLTree, in entity: String, depth: Int) -> NSAttributeDescription {
        let path = "\(entity).\(element.attributes["name"] ?? "")"
        let type = type(of: element, path: path)
        if type == .composite { return composite(from: element, in: entity, path: path, depth: depth) }
        let attribute: NSAttributeDescription
        if flag("derived", of: element, owner: "attribute '\(path)'")
            || element.attributes["derivationExpression"] != nil
        {
            let derived = NSDerivedAttributeDescription()
            derived.derivation = element.attributes["derivationExpression"]
            attribute = derived
        } else {
            attribute = NSAttributeDescription()
        }
        readCommon(attribute, from: element, in: entity)
        attribute.attributeType = NSAttributeType(type)
        readOptions(attribute, from: element, path: path)
        readDefault(attribute, from: element, path: path)
        readRules(attribute, from: element, path: path)
        return attribute
    }

    private mutating func type(of element: XMLTree, path: String) -> SwormPredicates.AttributeType {
        if element.name == "composite" { return .composite }
        switch element.attributes["attributeType"] {
        case nil, "", "Undefined": return .undefined
        case "Integer 16": return .integer16
        case "Integer 32": return .integer32
        case "Integer 64": return .integer64
        case "Decimal": return .decimal
        case "Double": return .double
        case "Float": return .float
        case "String": return .string
        case "Boolean": return .boolean
        case "Date": return .date
        case "Binary", "Binary Data": return .binaryData
        case "UUID": return .uuid
        case "URI": return .uri
        case "Transformable": return .transformable
        case "Object ID": return .objectID
        case "Composite": return .composite
        case .some(let other):
            report("Attribute '\(path)' has the unknown type '\(other)'.", at: element)
            return .undefined
        }
    }

    private mutating func readOptions(_ attribute: NSAttributeDescription, from element: XMLTree, path: String) {
        let owner = "attribute '\(path)'"
        attribute.allowsExternalBinaryDataStorage = flag("allowsExternalBinaryDataStorage", of: element, owner: owner)
        attribute.preservesValueInHistoryOnDeletion = flag("preserveAfterDeletion", of: element, owner: owner)
        attribute.allowsCloudEncryption = flag("allowsCloudEncryption", of: element, owner: owner)
        if let name = element.attributes["valueTransformerName"], !name.isEmpty {
            attribute.valueTransformerName = name
        }
        if let name = element.attributes["customClassName"], !name.isEmpty { attribute.attributeValueClassName = name }
    }

    private mutating func readDefault(_ attribute: NSAttributeDescription, from element: XMLTree, path: String) {
        if attribute.attributeType == .dateAttributeType {
            attribute.defaultValue = date("defaultDateTimeInterval", of: element, path: path)
            return
        }
        guard let text = element.attributes["defaultValueString"] else { return }
        let type = attribute.attributeType.attributeType
        // An empty string is not a default value of a number or a flag; only a string can be empty.
        if text.isEmpty, type != .string { return }
        let isNumber = [.integer16, .integer32, .integer64, .decimal, .double, .float].contains(type)
        // A number that once was a Boolean may still have the default `NO`. Apple's model compiler converts it to 0,
        // like any word.
        if isNumber, !ModelXMLValue.beginsAsNumber(text) {
            note(
                "The default value '\(text.prefix(80))' of attribute '\(path)' is not a number, and was replaced by 0.",
                at: element)
            attribute.defaultValue = AttributeDefault.value(0, as: type)?.foundationValue
            return
        }
        guard let value = ModelXMLValue.value(text, type: type) else {
            report(
                "The default value '\(text.prefix(80))' of attribute '\(path)' is not a value of the type "
                    + "\(attribute.attributeType.displayName).", at: element, key: attribute.name)
            return
        }
        attribute.defaultValue = value.foundationValue
    }

    private mutating func readRules(_ attribute: NSAttributeDescription, from element: XMLTree, path: String) {
        var rules: [ValidationRule] = []
        switch attribute.attributeType {
        case .stringAttributeType:
            if let length = limit("minValueString", of: element, type: .integer64, path: path),
                case .int(let n) = length
            {
                rules.append(.minimumLength(Int(n)))
            }
            if let length = limit("maxValueString", of: element, type: .integer64, path: path),
                case .int(let n) = length
            {
                rules.append(.maximumLength(Int(n)))
            }
            if let pattern = element.attributes["regularExpressionString"], !pattern.isEmpty {
                rules.append(.pattern(pattern))
            }
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .decimalAttributeType,
            .doubleAttributeType, .floatAttributeType:
            // A limit may be outside the range of an integer type, so it is read as the widest type of its kind.
            let isWhole = attribute.attributeType.rawValue <= NSAttributeType.integer64AttributeType.rawValue
            let isDecimal = attribute.attributeType == .decimalAttributeType
            let type: SwormPredicates.AttributeType = isWhole ? .integer64 : isDecimal ? .decimal : .double
            if let value = limit("minValueString", of: element, type: type, path: path) {
                rules.append(.minimum(value))
            }
            if let value = limit("maxValueString", of: element, type: type, path: path) {
                rules.append(.maximum(value))
            }
        case .dateAttributeType:
            if let value = date("minDateTimeInterval", of: element, path: path) { rules.append(.minimum(.date(value))) }
            if let value = date("maxDateTimeInterval", of: element, path: path) { rules.append(.maximum(.date(value))) }
        default: break
        }
        attribute.validationRules = rules
    }

    private mutating func limit(
        _ key: String, of element: XMLTree, type: SwormPredicates.AttributeType, path: String
    ) -> AttributeValue? {
        guard let text = element.attributes[key], !text.isEmpty else { return nil }
        // The editor sometimes writes an integer limit with a decimal point.
        if let value = ModelXMLValue.value(text, type: type) { return value }
        report("'\(text.prefix(80))', the \(key) of attribute '\(path)', is not a number.", at: element)
        return nil
    }

    private mutating func date(_ key: String, of element: XMLTree, path: String) -> Date? {
        guard let text = element.attributes[key], !text.isEmpty else { return nil }
        guard let seconds = Double(text), seconds.isFinite else {
            report("'\(text.prefix(80))', the \(key) of attribute '\(path)', is not a number of seconds.", at: element)
            return nil
        }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }

    private mutating func composite(
        from element: XMLTree, in entity: String, path: String, depth: Int
    ) -> NSCompositeAttributeDescription {
        let composite = NSCompositeAttributeDescription()
        readCommon(composite, from: element, in: entity)
        guard depth < ModelLimits.compositeDepth else {
            report(
                "Composite attribute '\(path)' contains itself, or is nested more than "
                    + "\(ModelLimits.compositeDepth) levels deep.", at: element)
            return composite
        }
        let inner = element.children.filter { $0.name == "attribute" || $0.name == "composite" }
        guard let members = inner.isEmpty ? definition(of: element)?.children : inner else {
            report("The definition of composite attribute '\(path)' does not exist.", at: element)
            return composite
        }
        var elements: [NSAttributeDescription] = []
        for member in members where member.name == "attribute" || member.name == "composite" {
            compositeElements += 1
            guard compositeElements <= ModelLimits.totalProperties else {
                if compositeElements == ModelLimits.totalProperties + 1 {
                    report(
                        "The composite attributes have more than \(ModelLimits.totalProperties) elements.", at: element)
                }
                break
            }
            elements.append(attribute(from: member, in: path, depth: depth + 1))
        }
        composite.elements = elements
        return composite
    }

    /// Returns the definition that a composite attribute refers to.
    ///
    /// The key of the definition's name differs between editors. Therefore the key is found by its value: the only XML
    /// attribute of the element, other than its own name, that is the name of a definition.
    private func definition(of element: XMLTree) -> XMLTree? {
        for (key, value) in element.attributes.sorted(by: { $0.key < $1.key }) where key != "name" && key != "elementID"
        {
            if let definition = composites[value] { return definition }
        }
        return composites[element.attributes["name"] ?? ""]
    }
}
