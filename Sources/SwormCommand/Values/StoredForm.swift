import OpenCoreData
import SwormPredicates

/// How a dump writes what a column holds where that is no value of its attribute's type, or none that the type gives back:
/// as an object with the storage class and the content.
enum StoredForm: String {
    case integer, real, text, blob
    /// The bytes of a text that is no UTF-8.
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
        case .text, .text64: "a text"
        case .blob: "binary data"
        case .missing: "the name of a missing file"
        }
    }

    /// What the column of an attribute may hold, so that nothing is wrong with the store. Where a type has one class only and
    /// all of it are its values, there is nothing to keep by itself.
    static func classes(of type: SwormPredicates.AttributeType) -> [StorageClass] {
        switch type {
        case .double, .float, .date: [.real, .integer]
        case .decimal: [.real, .integer, .text]
        case .string, .uri: [.text]
        default: []
        }
    }
}
