/// The rules for the names in a model.
package enum ModelNames {
    /// Returns a description of the problem with a name, or nil if the name is valid.
    ///
    /// Names become Swift and Objective-C identifiers and parts of key paths and of SQL names, so they may contain
    /// only letters, digits and underscores.
    package static func issue(of name: String) -> String? {
        if name.isEmpty { return "is missing" }
        guard let first = name.unicodeScalars.first else { return "is missing" }
        if first.properties.numericType != nil { return "begins with a digit" }
        let bad = name.unicodeScalars.first { !($0 == "_" || $0.properties.isAlphabetic || isContinuing($0)) }
        if let bad {
            let shown = bad.value < 0x20 || bad.value == 0x7F ? "U+" + String(bad.value, radix: 16) : "'\(bad)'"
            return "contains \(shown); use letters, digits and underscores"
        }
        return nil
    }

    /// Returns whether the scalar may continue a name: a digit, or a mark that completes letters in many scripts.
    private static func isContinuing(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .decimalNumber, .nonspacingMark, .spacingMark: true
        default: false
        }
    }

    /// Returns whether a property may not have the name because every managed object has a method of that name.
    package static func isReserved(propertyName name: String) -> Bool { reserved.contains(name) }

    /// The methods without parameters of `NSObject` and `NSManagedObject`, on every platform.
    private static let reserved: Set<String> = [
        "autorelease", "class", "classForCoder", "classForKeyedArchiver", "copy", "dealloc", "debugDescription",
        "description", "finalize", "hash", "init", "isProxy", "mutableCopy", "observationInfo", "release", "retain",
        "retainCount", "self", "superclass", "zone",
        "awakeFromFetch", "awakeFromInsert", "changedValues", "changedValuesForCurrentEvent", "didSave",
        "didTurnIntoFault", "entity", "faultingState", "hasChanges", "hasPersistentChangedValues", "isDeleted",
        "isFault",
        "isInserted", "isUpdated", "managedObjectContext", "objectID", "prepareForDeletion", "willSave",
        "willTurnIntoFault",
    ]
}
