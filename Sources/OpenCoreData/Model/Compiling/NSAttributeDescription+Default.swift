import Foundation

extension NSAttributeDescription {
    /// Returns whether a default value can be written as it is archived. The bytes that a custom transformer creates
    /// are only known to the application, so an object that is inserted here has no value.
    func keeps(defaultValue: Any?) -> Bool {
        guard attributeType == .transformableAttributeType, !(defaultValue is Data) else { return true }
        let archiving = [
            "NSSecureUnarchiveFromData", "NSSecureUnarchiveFromDataTransformer", "NSKeyedUnarchiveFromData",
        ]
        return valueTransformerName.map(archiving.contains) ?? true
    }
}
