import Foundation
import SwormPredicates
import SwormStore

extension ModelCompiler {
    mutating func checkProperties(of entity: NSEntityDescription) {
        let entityName = entity.name ?? ""
        var inherited: [String: String] = [:]
        for ancestor in entity.lineage.dropLast() {
            for property in ancestor.ownProperties { inherited[property.name] = ancestor.name ?? "" }
        }
        var own: Set<String> = []
        for property in entity.ownProperties {
            let name = property.name
            let path = "\(entityName).\(name)"
            if let issue = ModelNames.issue(of: name) {
                issues.add("The name of property '\(path)' \(issue).", entity: entityName, key: name)
            } else if ModelNames.isReserved(propertyName: name) {
                issues.add(
                    "Property '\(path)' has the name of a method of every managed object. Rename it.",
                    entity: entityName, key: name)
            } else if !own.insert(name).inserted {
                issues.add(
                    "Entity '\(entityName)' has two properties named '\(name)'. Rename one of them.",
                    entity: entityName,
                    key: name)
            } else if let ancestor = inherited[name] {
                issues.add(
                    "Property '\(path)' conflicts with the property of that name inherited from '\(ancestor)'. Rename or "
                        + "remove it.", entity: entityName, key: name)
            }
            if property.declaringEntity !== entity {
                issues.add(
                    "Property '\(path)' was added to another entity later. Give that entity a copy of it.",
                    entity: entityName, key: name)
            }
            switch property {
            case let composite as NSCompositeAttributeDescription: check(composite, of: entityName, path: path)
            case let attribute as NSAttributeDescription: check(attribute, of: entityName, path: path)
            case let relationship as NSRelationshipDescription: check(relationship, of: entity, path: path)
            case is NSFetchedPropertyDescription: break
            default:
                issues.add(
                    "Property '\(path)' is neither an attribute nor a relationship. Use one of the subclasses of "
                        + "NSPropertyDescription.", entity: entityName, key: name)
            }
        }
    }

    private mutating func check(_ attribute: NSAttributeDescription, of entity: String, path: String) {
        let type = attribute.attributeType
        let derived = attribute as? NSDerivedAttributeDescription
        switch type {
        case .undefinedAttributeType where !attribute.isTransient:
            issues.add("Attribute '\(path)' has no type. Set its attributeType.", entity: entity, key: attribute.name)
        case .objectIDAttributeType where !attribute.isTransient:
            issues.add(
                "Attribute '\(path)' has the type Object ID, which cannot be stored. Make it transient, or use a relationship.",
                entity: entity, key: attribute.name)
        case .compositeAttributeType:
            issues.add(
                "Attribute '\(path)' has the type Composite but no elements. Use NSCompositeAttributeDescription.",
                entity: entity, key: attribute.name)
        default: break
        }
        if let derived {
            if let issue = derived.derivationIssue {
                issues.add(
                    "The derivation expression of attribute '\(path)' cannot be parsed: \(issue)", entity: entity,
                    key: attribute.name)
            } else if (derived.derivation ?? "").isEmpty {
                issues.add(
                    "Derived attribute '\(path)' has no derivation expression.", entity: entity, key: attribute.name)
            }
            if derived.isTransient {
                issues.add(
                    "Attribute '\(path)' is both derived and transient. The store computes a derived value, so it must "
                        + "be stored.", entity: entity, key: attribute.name)
            }
        }
        if let value = attribute.defaultValue, type != .compositeAttributeType,
            AttributeDefault.value(value, as: type.attributeType) == nil, type != .undefinedAttributeType
        {
            issues.add(
                "The default value of attribute '\(path)', \(Self.shown(value)), is not a value of the type "
                    + "\(type.displayName)\(Self.hint(for: type)).", entity: entity, key: attribute.name)
        }
        if let issue = attribute.validationIssue {
            issues.add(
                "A validation predicate of attribute '\(path)' cannot be parsed: \(issue)", entity: entity,
                key: attribute.name)
        }
        for rule in attribute.validationRules { check(rule, type: type, of: entity, path: path, key: attribute.name) }
    }

    private static func hint(for type: NSAttributeType) -> String {
        switch type {
        case .transformableAttributeType:
            "; use the data that its transformer returns, or set it in `awakeFromInsert()`"
        case .integer16AttributeType: " (-32768 to 32767)"
        case .integer32AttributeType: " (-2147483648 to 2147483647)"
        default: ""
        }
    }

    private static func shown(_ value: Any) -> String {
        "\(String(describing: value).prefix(80)) (\(Swift.type(of: value)))"
    }

    private mutating func check(
        _ rule: ValidationRule, type: NSAttributeType, of entity: String, path: String, key: String
    ) {
        func refuse(_ what: String) {
            issues.add(
                "Attribute '\(path)' of type \(type.displayName) cannot have \(what). Remove it.", entity: entity,
                key: key)
        }
        let plain = type.attributeType
        switch rule {
        case .minimum(let value), .maximum(let value):
            let limit = "the limit \(value.foundationValue.map(String.init(describing:)) ?? "nil")"
            switch plain {
            case .integer16, .integer32, .integer64, .decimal, .double, .float:
                // A limit outside the range of an integer type is useless but harmless, so only its kind must match.
                if AttributeDefault.value(value.foundationValue, as: .double) == nil || value == .null { refuse(limit) }
            case .date:
                guard case .date = value else { return refuse(limit) }
            default: refuse(limit)
            }
        case .minimumLength(let length), .maximumLength(let length):
            if plain != .string || length < 0 { refuse("the length limit \(length)") }
        case .pattern(let pattern):
            if plain != .string {
                refuse("the regular expression '\(pattern)'")
            } else if (try? NSRegularExpression(pattern: pattern)) == nil {
                issues.add(
                    "The regular expression of attribute '\(path)' cannot be parsed: '\(pattern)'.", entity: entity,
                    key: key)
            }
        case .predicate: break
        }
    }

    private mutating func check(_ composite: NSCompositeAttributeDescription, of entity: String, path: String) {
        let key = composite.name
        guard composite.nestingDepth <= ModelLimits.compositeDepth else {
            issues.add(
                "Composite attribute '\(path)' contains itself, or is nested more than "
                    + "\(ModelLimits.compositeDepth) levels deep.", entity: entity, key: key)
            return
        }
        check(elementsOf: composite, of: entity, path: path, key: key)
        guard let value = composite.defaultValue else { return }
        if CompositeDefault.values(value, of: composite) == nil {
            issues.add(
                "The default value of composite attribute '\(path)' must be a dictionary with values of the right types "
                    + "by the names of its elements; it is \(Self.shown(value)).", entity: entity, key: key)
        }
    }

    private mutating func check(
        elementsOf composite: NSCompositeAttributeDescription, of entity: String, path: String, key: String
    ) {
        if composite.attributeType != .compositeAttributeType {
            issues.add(
                "Composite attribute '\(path)' has the type \(composite.attributeType.displayName). Do not change its "
                    + "type.", entity: entity, key: key)
        }
        if composite.elements.isEmpty {
            issues.add("Composite attribute '\(path)' has no elements.", entity: entity, key: key)
        }
        var names: Set<String> = []
        for element in composite.elements {
            let elementPath = "\(path).\(element.name)"
            if let issue = ModelNames.issue(of: element.name) {
                issues.add("The name of element '\(elementPath)' \(issue).", entity: entity, key: key)
            } else if !names.insert(element.name).inserted {
                issues.add(
                    "Composite attribute '\(path)' has two elements named '\(element.name)'. Rename one of them.",
                    entity: entity, key: key)
            }
            if element.isTransient {
                issues.add("Element '\(elementPath)' must not be transient.", entity: entity, key: key)
            }
            if element is NSDerivedAttributeDescription {
                issues.add(
                    "Element '\(elementPath)' must not be derived. Declare the derived attribute outside of the composite.",
                    entity: entity, key: key)
            } else if let inner = element as? NSCompositeAttributeDescription {
                check(elementsOf: inner, of: entity, path: elementPath, key: key)
            } else {
                check(element, of: entity, path: elementPath)
            }
        }
    }
}
