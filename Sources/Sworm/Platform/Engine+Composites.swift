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
}

extension NSEntityDescription {
    /// Whether the value at a path may be nil: an element of a composite is missing if the composite is.
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
}

extension NSAttributeType {
    /// The same type as the engine-independent enumeration.
    var plain: AttributeType { AttributeType(rawValue: UInt32(rawValue)) ?? .undefined }
}

extension Engine {
    /// Whether an attribute of a table can represent an attribute of the model. A `Codable` type can be a composite.
    static func accepts(_ type: AttributeType, as attribute: AttributeMapping) -> Bool {
        type == .composite ? attribute.kind == .data && !attribute.isPrimitive : accepts(type, as: attribute.kind)
    }

    /// Returns the composite attribute that an attribute of a table represents as a whole; nil for any other attribute.
    static func composite(_ attribute: AttributeMapping, _ entity: NSEntityDescription)
        -> NSCompositeAttributeDescription?
    {
        entity.attribute(at: attribute.name) as? NSCompositeAttributeDescription
    }

    /// Returns a composite attribute as the JSON of the type that represents it.
    static func compositeValue(
        _ object: NSManagedObject, _ attribute: AttributeMapping, _ composite: NSCompositeAttributeDescription
    ) throws -> AttributeValue {
        let dictionary = object.value(forKeyPath: attribute.name) as? [String: Any]
        // A missing composite decodes like an empty one, unless the property can be nil.
        if dictionary == nil, attribute.isOptional { return .null }
        return .data(try CompositeShape(composite).encode(dictionary ?? [:]))
    }

    /// Sets a composite attribute from JSON, if a value differs.
    static func setComposite(
        _ value: AttributeValue, _ object: NSManagedObject, _ attribute: AttributeMapping,
        _ composite: NSCompositeAttributeDescription
    ) throws {
        let shape = CompositeShape(composite)
        let dictionary = try elements(value, composite)
        let present = object.value(forKeyPath: attribute.name) as? [String: Any] ?? [:]
        // Compare the encoded bytes: dictionaries with equal strings can differ in their bytes, and a store
        // distinguishes them.
        if let old = try? shape.encode(present), try old == shape.encode(dictionary) { return }
        setElement(dictionary.isEmpty ? nil : dictionary, object, attribute.name)
    }

    /// Returns the elements of a composite that is given as JSON.
    static func elements(
        _ value: AttributeValue, _ composite: NSCompositeAttributeDescription
    ) throws -> [String: Any] {
        guard case .data(let data) = value else { return [:] }
        return try CompositeShape(composite).decode(data)
    }

    /// Sets the value at a path of a composite attribute and its elements. The dictionaries along the path are
    /// replaced, because Core Data treats them as immutable values.
    static func setElement(_ value: Any?, _ object: NSManagedObject, _ path: String) {
        let names = path.split(separator: ".").map(String.init)
        guard let first = names.first, names.count > 1 else { return object.setValue(value, forKey: path) }
        let changed = replacing(names.dropFirst(), in: object.value(forKey: first) as? [String: Any] ?? [:], value)
        object.setValue(changed.isEmpty ? nil : changed, forKey: first)
    }

    private static func replacing(
        _ path: ArraySlice<String>, in dictionary: [String: Any], _ value: Any?
    ) -> [String: Any] {
        var dictionary = dictionary
        guard let name = path.first else { return dictionary }
        if path.count == 1 {
            dictionary[name] = value
        } else {
            let inner = replacing(path.dropFirst(), in: dictionary[name] as? [String: Any] ?? [:], value)
            dictionary[name] = inner.isEmpty ? nil : inner
        }
        return dictionary
    }
}
