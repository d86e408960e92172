#if !canImport(CoreData)
import Foundation
import OpenCoreData
import SwormPredicates
import SwormStore

extension EntityBinding {
    /// Returns the value of an attribute, given by its index in the table.
    func value(of object: NSManagedObject, at index: Int) throws -> AttributeValue {
        guard let composite = composites[index] else { return try object.readAttribute(attributes[index]) }
        try object.load()
        return try object.compositeValue(of: mapping.attributes[index], as: composite)
    }

    /// Sets an attribute, if the value differs.
    func setValue(_ value: AttributeValue, of object: NSManagedObject, at index: Int) throws {
        guard let composite = composites[index] else { return try object.setAttribute(attributes[index], to: value) }
        try object.setCompositeValue(value, of: mapping.attributes[index], as: composite)
    }

    /// Sets the attributes that differ, or none if one of the values is invalid.
    func setValues(_ values: [AttributeValue], of object: NSManagedObject) throws {
        guard !composites.isEmpty else { return try object.setAttributes(attributes, to: values) }
        // Validates all composites before anything is set.
        for (index, composite) in composites { _ = try CompositeShape(composite).decodeElements(of: values[index]) }
        let plain = values.indices.filter { composites[$0] == nil }
        try object.setAttributes(plain.map { attributes[$0] }, to: plain.map { values[$0] })
        for index in composites.keys.sorted() { try setValue(values[index], of: object, at: index) }
    }

    /// Throws an error if a value is invalid. The values are in the order of the table.
    func check(_ values: [AttributeValue]) throws {
        for (index, slot) in attributes.enumerated() where slot >= 0 {
            try entity.checked(values[index], slot: slot)
        }
    }

    /// Inserts an object with the values of the table's attributes, in the table's order.
    func insert(_ values: [AttributeValue], into context: NSManagedObjectContext) throws -> NSManagedObject {
        if isWhole { return try context.insertObject(of: description, values: values) }
        var all = entity.defaultValues
        for (index, slot) in attributes.enumerated() where slot >= 0 { all[slot] = values[index] }
        let object = try context.insertObject(of: description, values: all)
        do {
            for index in composites.keys.sorted() { try setValue(values[index], of: object, at: index) }
        } catch {
            context.delete(object)
            throw error
        }
        return object
    }

    /// Returns the default of an attribute in the model.
    func defaultValue(at index: Int) -> AttributeValue {
        attributes[index] < 0 ? .null : entity.defaultValues[attributes[index]]
    }

    /// Returns an object that belongs to no context.
    func detachedObject() -> NSManagedObject { NSManagedObject(entity: description, insertInto: nil) }
}
#endif
