import Foundation

extension NSAttributeDescription {
    /// Whether a default value can be written as it is archived. A transformer of the application's own makes bytes of it that
    /// nobody else knows: an object that is inserted here has no value then.
    func keeps(defaultValue: Any?) -> Bool {
        guard attributeType == .transformableAttributeType, !(defaultValue is Data) else { return true }
        let archiving = [
            "NSSecureUnarchiveFromData", "NSSecureUnarchiveFromDataTransformer", "NSKeyedUnarchiveFromData",
        ]
        return valueTransformerName.map(archiving.contains) ?? true
    }
}
