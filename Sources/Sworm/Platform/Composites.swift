import Foundation
import SwormPredicates

#if canImport(CoreData)
import CoreData
#else
import OpenCoreData
#endif

// Composite attributes, through key-value coding: on both engines they are dictionaries of their elements.
extension NSEntityDescription {
    /// Returns the attribute with a name; for `composite.element` the element.
    func attribute(at path: String) -> NSAttributeDescription? {
        if let attribute = attributesByName[path] { return attribute }
        let names = path.split(separator: ".").map(String.init)
        guard let first = names.first, names.count > 1 else { return nil }
        return names.dropFirst().reduce(attributesByName[first]) { attribute, name in
            (attribute as? NSCompositeAttributeDescription)?.elements.first { $0.name == name }
        }
    }

    /// Returns the composite attribute that an attribute of a table represents as a whole; nil for any other attribute.
    func composite(for attribute: AttributeMapping) -> NSCompositeAttributeDescription? {
        self.attribute(at: attribute.name) as? NSCompositeAttributeDescription
    }

    /// Returns whether the value at a path may be nil. An element of a composite is missing if the composite is
    /// missing.
    func isOptional(at path: String) -> Bool {
        if let attribute = attributesByName[path] { return attribute.isOptional }
        let names = path.split(separator: ".")
        return names.indices.contains { end in
            attribute(at: names[...end].joined(separator: "."))?.isOptional ?? true
        }
    }
}

extension CompositeShape {
    init(_ description: NSCompositeAttributeDescription) {
        self.init(name: description.name)
        for element in description.elements {
            elements[element.name] =
                if let composite = element as? NSCompositeAttributeDescription {
                    .composite(CompositeShape(composite))
                } else {
                    .value(element.attributeType.plain)
                }
        }
    }

    /// Returns the elements of a composite that is given as JSON.
    func decodeElements(of value: AttributeValue) throws -> [String: Any] {
        guard case .data(let data) = value else { return [:] }
        return try decode(data)
    }
}

extension NSAttributeType {
    /// The same type as the engine-independent enumeration.
    var plain: AttributeType { AttributeType(rawValue: UInt32(rawValue)) ?? .undefined }
}

extension NSManagedObject {
    /// Returns a composite attribute as the JSON of the type that represents it.
    func compositeValue(
        of attribute: AttributeMapping, as composite: NSCompositeAttributeDescription
    ) throws -> AttributeValue {
        let dictionary = value(forKeyPath: attribute.name) as? [String: Any]
        // A missing composite decodes like an empty one, unless the property can be nil.
        if dictionary == nil, attribute.isOptional { return .null }
        return .data(try CompositeShape(composite).encode(dictionary ?? [:]))
    }

    /// Sets a composite attribute from JSON, if a value differs.
    func setCompositeValue(
        _ value: AttributeValue, of attribute: AttributeMapping, as composite: NSCompositeAttributeDescription
    ) throws {
        let shape = CompositeShape(composite)
        let dictionary = try shape.decodeElements(of: value)
        let present = self.value(forKeyPath: attribute.name) as? [String: Any] ?? [:]
        // Compare the encoded bytes: dictionaries with equal strings can differ in their bytes, and a store
        // distinguishes them.
        if let old = try? shape.encode(present), try old == shape.encode(dictionary) { return }
        setElement(dictionary.isEmpty ? nil : dictionary, at: attribute.name)
    }

    /// Sets the value at a path of a composite attribute and its elements. The dictionaries along the path are
    /// replaced, because Core Data treats them as immutable values.
    func setElement(_ value: Any?, at path: String) {
        let names = path.split(separator: ".").map(String.init)
        guard let first = names.first, names.count > 1 else { return setValue(value, forKey: path) }
        let present = self.value(forKey: first) as? [String: Any] ?? [:]
        let changed = present.replacing(names.dropFirst(), with: value)
        setValue(changed.isEmpty ? nil : changed, forKey: first)
    }
}

extension [String: Any] {
    /// Returns the dictionary with another value at a path of nested dictionaries.
    fileprivate func replacing(_ path: ArraySlice<String>, with value: Any?) -> [String: Any] {
        var dictionary = self
        guard let name = path.first else { return dictionary }
        if path.count == 1 {
            dictionary[name] = value
        } else {
            let inner = (dictionary[name] as? [String: Any] ?? [:]).replacing(path.dropFirst(), with: value)
            dictionary[name] = inner.isEmpty ? nil : inner
        }
        return dictionary
    }
}
