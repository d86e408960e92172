#if canImport(CoreData)
import CoreData
import Foundation
import SwormPredicates

extension EntityBinding {
    func value(of object: NSManagedObject, at index: Int) throws -> AttributeValue {
        try object.requireRow()
        let attribute = mapping.attributes[index]
        if let composite = entity.composite(for: attribute) {
            return try object.compositeValue(of: attribute, as: composite)
        }
        return attribute.kind.value(ofKeyed: object.value(forKeyPath: attribute.name))
    }

    func setValue(_ value: AttributeValue, of object: NSManagedObject, at index: Int) throws {
        let attribute = mapping.attributes[index]
        if let composite = entity.composite(for: attribute) {
            return try object.setCompositeValue(value, of: attribute, as: composite)
        }
        let present = attribute.kind.value(ofKeyed: object.value(forKeyPath: attribute.name))
        guard object.isInserted || !present.isIdentical(to: value) else { return }
        try requireRange(of: value, for: attribute.name)
        object.setElement(value.keyedValue, at: attribute.name)
    }

    /// Rejects a number outside the attribute's range, because key-value coding would truncate it silently.
    private func requireRange(of value: AttributeValue, for name: String) throws {
        guard case .int(let number) = value, let type = entity.attribute(at: name)?.attributeType else { return }
        let fits =
            switch type {
            case .integer16AttributeType: Int16(exactly: number) != nil
            case .integer32AttributeType: Int32(exactly: number) != nil
            default: true
            }
        guard !fits else { return }
        throw StoreError(
            .validation,
            "Cannot set '\(name)' of \(entity.name ?? "") to \(number): the value is out of the range of the attribute.",
            entity: entity.name, attribute: name)
    }

    func setValues(_ values: [AttributeValue], of object: NSManagedObject) throws {
        for (value, attribute) in zip(values, mapping.attributes) {
            try requireRange(of: value, for: attribute.name)
            if let composite = entity.composite(for: attribute) {
                _ = try CompositeShape(composite).decodeElements(of: value)
            }
        }
        for index in values.indices { try setValue(values[index], of: object, at: index) }
    }

    func check(_ values: [AttributeValue]) throws {
        for (value, line) in zip(values, mapping.attributes) {
            // The elements of a composite are checked with the object that they are assigned to.
            guard let attribute = entity.attributesByName[line.name], entity.composite(for: line) == nil else {
                continue
            }
            try requireRange(of: value, for: line.name)
            let keyed = value.keyedValue
            let isValid =
                keyed == nil
                ? attribute.isOptional
                : !value.isNoNumber && attribute.validationPredicates.allSatisfy { $0.evaluate(with: keyed) }
            guard !isValid else { continue }
            throw StoreError(
                .validation,
                "'\(line.name)' of \(mapping.entityName) cannot be '\(excerpt(value))': it is required, or the model has validation rules for it.",
                entity: mapping.entityName, attribute: line.name)
        }
    }

    func insert(_ values: [AttributeValue], into context: NSManagedObjectContext) throws -> NSManagedObject {
        let object = NSManagedObject(entity: entity, insertInto: context)
        do {
            for index in values.indices { try setValue(values[index], of: object, at: index) }
        } catch {
            context.delete(object)
            throw error
        }
        return object
    }

    func detachedObject() -> NSManagedObject { NSManagedObject(entity: entity, insertInto: nil) }

    /// Returns the default of an attribute in the model.
    func defaultValue(at index: Int) -> AttributeValue {
        AttributeValue(any: entity.attribute(at: mapping.attributes[index].name)?.defaultValue) ?? .null
    }
}

extension NSManagedObject {
    /// Throws an error if the row of the object no longer exists.
    func requireRow() throws {
        guard isFault, let managedObjectContext else { return }
        _ = try managedObjectContext.existingObject(with: objectID)
    }
}
#endif
