package import SwormPredicates
import SwormStore

// A composite attribute is a dictionary of its elements for keyed access, and a sequence of plain attributes
// internally.
extension NSManagedObject {
    /// Returns the elements that have a value, with nested composites as dictionaries; nil if no element has a value.
    final func compositeValue(
        _ key: String, leaves: [Int], _ read: (Int) -> AttributeValue
    ) -> [String: Any]? {
        var dictionary: [String: Any] = [:]
        for slot in leaves {
            guard let value = keyedValue(read(slot), of: slot) else { continue }
            let path = compiledEntity.attributes[slot].name.dropFirst(key.count + 1).split(separator: ".").map(
                String.init)
            Self.put(value, at: path[...], into: &dictionary)
        }
        return dictionary.isEmpty ? nil : dictionary
    }

    /// Returns the current elements of a composite attribute.
    final func compositeValue(_ key: String, leaves: [Int]) -> [String: Any]? {
        compositeValue(key, leaves: leaves) { attribute($0) }
    }

    private static func put(_ value: Any, at path: ArraySlice<String>, into dictionary: inout [String: Any]) {
        guard let key = path.first else { return }
        guard path.count > 1 else { return dictionary[key] = value }
        var inner = dictionary[key] as? [String: Any] ?? [:]
        put(value, at: path.dropFirst(), into: &inner)
        dictionary[key] = inner
    }

    /// Sets all elements of a composite attribute. Elements that are missing in the dictionary are set to nil.
    ///
    /// - Parameter marks: Whether a change marks the object as changed.
    /// - Throws: A ``CoreDataError`` if the value is not a dictionary, or if an element does not belong to the
    ///   composite.
    final func setComposite(_ key: String, leaves: [Int], to value: Any?, marks: Bool = true) throws {
        let values = try compiledEntity.elements(of: key, in: value)
        try setAttributes(values.map(\.slot), to: values.map(\.value), marks: marks)
    }

    /// Sets one element of a composite attribute, and keeps the other elements.
    final func setElement(_ value: Any?, of key: String, at path: String) {
        willChangeValue(forKey: key)
        defer { didChangeValue(forKey: key) }
        let full = key + "." + path
        do {
            if case .attribute(let slot)? = compiledEntity.slot(named: full) {
                try setAttribute(slot, to: compiledEntity.attributeValue(value, slot: slot))
            } else if let leaves = compiledEntity.composites[full] {
                try setComposite(full, leaves: leaves, to: value)
            } else {
                throw compiledEntity.unknownElement(path, of: key)
            }
            refusals.removeAll { $0.key == full }
        } catch {
            refuse(error, key: full)
        }
    }
}

extension CompiledEntity {
    /// Returns the values of all elements of a composite attribute by slot. Elements that are missing in the dictionary
    /// are nil.
    ///
    /// - Throws: The same errors as setting the attribute.
    package func elements(of key: String, in value: Any?) throws -> [(slot: Int, value: AttributeValue)] {
        let leaves = composites[key] ?? []
        var values: [Int: AttributeValue] = [:]
        try collect(value, at: key, into: &values)
        return leaves.map { ($0, values[$0] ?? .null) }
    }

    private func collect(_ value: Any?, at key: String, into values: inout [Int: AttributeValue]) throws {
        guard let any = value, !(AttributeValue(any: any) == .null) else { return }
        guard let dictionary = any as? [String: Any] else {
            throw CoreDataError(
                NSManagedObjectValidationError,
                "Cannot set '\(key)' of \(name): a composite attribute takes a dictionary of its elements.",
                entity: name, key: key)
        }
        for (element, value) in dictionary {
            let path = key + "." + element
            if case .attribute(let slot)? = slot(named: path) {
                values[slot] = try attributeValue(value, slot: slot)
            } else if composites[path] != nil {
                try collect(value, at: path, into: &values)
            } else {
                throw unknownElement(element, of: key)
            }
        }
    }

    fileprivate func unknownElement(_ element: String, of key: String) -> CoreDataError {
        let names = attributes.map(\.name).filter { $0.hasPrefix(key + ".") }.map {
            String($0.dropFirst(key.count + 1))
        }
        return CoreDataError(
            NSManagedObjectValidationError,
            "The composite attribute '\(key)' of \(name) has no element named '\(element)'."
                + nearestNameHint(to: element, in: names), entity: name, key: key)
    }
}
