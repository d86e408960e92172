import SwormPredicates

// A composite attribute is a dictionary of its elements to whoever asks by key, and a run of plain attributes inside.
extension NSManagedObject {
    /// The elements that have a value, those of composites inside as dictionaries of their own; nil when none has one.
    final func compositeValue(
        _ key: String, _ leaves: [Int], _ read: (Int) -> AttributeValue
    ) -> [String: Any]? {
        var dictionary: [String: Any] = [:]
        for slot in leaves {
            guard let value = read(slot).cocoaValue else { continue }
            let path = plan.attributes[slot].name.dropFirst(key.count + 1).split(separator: ".").map(String.init)
            Self.put(value, at: path[...], into: &dictionary)
        }
        return dictionary.isEmpty ? nil : dictionary
    }

    /// The present elements of a composite attribute.
    final func compositeValue(_ key: String, _ leaves: [Int]) -> [String: Any]? {
        compositeValue(key, leaves) { attribute($0) }
    }

    private static func put(_ value: Any, at path: ArraySlice<String>, into dictionary: inout [String: Any]) {
        guard let key = path.first else { return }
        guard path.count > 1 else { return dictionary[key] = value }
        var inner = dictionary[key] as? [String: Any] ?? [:]
        put(value, at: path.dropFirst(), into: &inner)
        dictionary[key] = inner
    }

    /// Sets all elements of a composite attribute; those that a dictionary does not name have no value afterwards.
    ///
    /// - Throws: A ``CoreDataError`` for a value that is no dictionary, and for an element that is not the composite's.
    final func setComposite(_ key: String, _ leaves: [Int], to value: Any?) throws {
        var values = Dictionary(uniqueKeysWithValues: leaves.map { ($0, AttributeValue.null) })
        try collect(value, key, into: &values)
        try setAttributes(leaves, leaves.map { values[$0] ?? .null })
    }

    private func collect(_ value: Any?, _ key: String, into values: inout [Int: AttributeValue]) throws {
        guard let any = value, !(AttributeValue(any: any) == .null) else { return }
        guard let dictionary = any as? [String: Any] else {
            throw CoreDataError(
                NSManagedObjectValidationError,
                "Cannot set '\(key)' of \(plan.name): a composite attribute takes a dictionary of its elements.",
                entity: plan.name, key: key)
        }
        for (name, element) in dictionary {
            let path = key + "." + name
            if case .attribute(let slot)? = plan.slot(named: path) {
                values[slot] = try plan.attributeValue(element, slot: slot)
            } else if plan.composites[path] != nil {
                try collect(element, path, into: &values)
            } else {
                throw unknownElement(name, of: key)
            }
        }
    }

    /// Sets one element of a composite attribute, and leaves the others.
    final func setElement(_ value: Any?, _ key: String, _ path: String) {
        willChangeValue(forKey: key)
        defer { didChangeValue(forKey: key) }
        let full = key + "." + path
        do {
            if case .attribute(let slot)? = plan.slot(named: full) {
                try setAttribute(slot, plan.attributeValue(value, slot: slot))
            } else if let leaves = plan.composites[full] {
                try setComposite(full, leaves, to: value)
            } else {
                throw unknownElement(path, of: key)
            }
            refusals.removeAll { $0.key == full }
        } catch {
            refuse(error, key: full)
        }
    }

    private func unknownElement(_ name: String, of key: String) -> CoreDataError {
        let names = plan.attributes.map(\.name).filter { $0.hasPrefix(key + ".") }.map {
            String($0.dropFirst(key.count + 1))
        }
        return CoreDataError(
            NSManagedObjectValidationError,
            "The composite attribute '\(key)' of \(plan.name) has no element named '\(name)'."
                + nearestNameHint(to: name, in: names), entity: plan.name, key: key)
    }
}
