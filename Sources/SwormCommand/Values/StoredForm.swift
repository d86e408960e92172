import OpenCoreData
import SwormPredicates

/// The form in which a dump writes column content that is not a value of its attribute's type, or that the type does
/// not preserve: an object with the storage class and the content.
enum StoredForm: String {
    case integer, real, text, blob
    /// The bytes of a string that is not valid UTF-8.
    case text64
    /// The name of a file of external data that is missing.
    case missing

    enum StorageClass { case integer, real, text, blob }

    var storageClass: StorageClass {
        switch self {
        case .integer: .integer
        case .real: .real
        case .text, .text64: .text
        case .blob, .missing: .blob
        }
    }

    var words: String {
        switch self {
        case .integer: "an integer"
        case .real: "a floating-point number"
        case .text, .text64: "a string"
        case .blob: "binary data"
        case .missing: "the name of a missing file"
        }
    }

    /// Returns the storage classes that the column of an attribute may contain in a sound store. The result is empty if
    /// a type has only one class and all content of that class is valid, because then nothing needs to be preserved
    /// separately.
    static func classes(of type: SwormPredicates.AttributeType) -> [StorageClass] {
        switch type {
        case .double, .float, .date: [.real, .integer]
        case .decimal: [.real, .integer, .text]
        case .string, .uri: [.text]
        default: []
        }
    }
}
