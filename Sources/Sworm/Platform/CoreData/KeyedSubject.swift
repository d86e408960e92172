#if canImport(CoreData)
import CoreData
import Foundation
import SwormPredicates

/// A managed object as a subject of predicates, through key-value coding.
struct KeyedSubject: EvaluationSubject {
    private let object: NSManagedObject

    init(_ object: NSManagedObject) { self.object = object }

    var reference: ObjectReference? { object.objectID.reference }

    func predicateValue(forKey key: String) throws -> EvaluationValue {
        if let attribute = object.entity.attribute(at: key) {
            return attribute.content(object.value(forKeyPath: key))
        }
        guard let relationship = object.entity.relationshipsByName[key] else {
            if key == "objectID" || key == "self" || key == "SELF" { return .object(self) }
            if let target = object.entity.castTarget(key) {
                return object.entity.isMatched(by: key, of: target)
                    ? .object(self) : .missing(MissingSubject(entity: target))
            }
            throw QueryError.unknownKey(
                key, of: object.entity.name ?? "", names: object.entity.propertiesByName.keys)
        }
        let value = object.value(forKey: key)
        guard relationship.isToMany else {
            if let destination = value as? NSManagedObject, !destination.isDeleted {
                return .object(KeyedSubject(destination))
            }
            return .missing(MissingSubject(entity: relationship.destinationEntity))
        }
        return .objects(RelatedObjects(value).objects.filter { !$0.isDeleted }.map(KeyedSubject.init))
    }
}

extension NSManagedObject {
    /// The object as a subject of predicates.
    var predicateSubject: any EvaluationSubject { KeyedSubject(self) }
}

/// The subject at the end of a to-one relationship without a destination: the value of every key of the entity is nil.
private struct MissingSubject: EvaluationSubject {
    let entity: NSEntityDescription?

    var reference: ObjectReference? { nil }

    func predicateValue(forKey key: String) throws -> EvaluationValue {
        if entity?.attribute(at: key) != nil { return .null }
        guard let relationship = entity?.relationshipsByName[key] else {
            if key == "objectID" { return .missing(self) }
            if let target = entity?.castTarget(key) { return .missing(MissingSubject(entity: target)) }
            throw QueryError.unknownKey(
                key, of: entity?.name ?? "", names: entity.map { Array($0.propertiesByName.keys) } ?? [])
        }
        return relationship.isToMany ? .objects([]) : .missing(MissingSubject(entity: relationship.destinationEntity))
    }
}

/// The elements of a composite attribute as a subject of predicates.
private struct KeyedComposite: EvaluationSubject {
    let composite: NSCompositeAttributeDescription
    let dictionary: [String: Any]

    var reference: ObjectReference? { nil }

    func predicateValue(forKey key: String) throws -> EvaluationValue {
        guard let element = composite.elements.first(where: { $0.name == key }) else {
            throw QueryError.unknownKey(key, of: composite.name, names: composite.elements.map(\.name))
        }
        return element.content(dictionary[key])
    }
}

extension NSAttributeDescription {
    /// Returns a value of key-value coding, or the content of a composite attribute.
    fileprivate func content(_ any: Any?) -> EvaluationValue {
        guard let composite = self as? NSCompositeAttributeDescription else { return .value(value(any)) }
        return .object(KeyedComposite(composite: composite, dictionary: any as? [String: Any] ?? [:]))
    }

    /// Converts a value of key-value coding into the form that predicates use.
    fileprivate func value(_ any: Any?) -> AttributeValue {
        guard let any, !(any is NSNull) else { return .null }
        return switch attributeType {
        case .booleanAttributeType: .bool((any as? NSNumber)?.boolValue ?? false)
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            .int((any as? NSNumber)?.int64Value ?? 0)
        case .floatAttributeType, .doubleAttributeType: .double((any as? NSNumber)?.doubleValue ?? 0)
        default: AttributeValue(any: any) ?? .null
        }
    }
}
#endif
