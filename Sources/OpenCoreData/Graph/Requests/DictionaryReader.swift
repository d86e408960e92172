import Foundation
import SwormPredicates
import SwormSQLite
import SwormStore

/// A property of the dictionaries that a request fetches.
struct SelectedProperty {
    var name: String
    var expression: ExpressionTree
    /// The type of the value; undefined to keep the value's own type.
    var type: AttributeType = .undefined
    /// The conversion of a transformable attribute's data to its value.
    var transformation: AttributeTransformation?
    /// Whether the property is the aggregate of values that have none, and therefore nil.
    var isNil = false
}

/// A reader that creates dictionaries from stored rows. A property without a value is left out of its dictionary.
struct DictionaryReader {
    let selected: [SelectedProperty]
    let columns: [ProjectedColumn]
    let origin: ObjectOrigin
    let session: any StoreSession

    func dictionary(_ row: [StoredValue]) throws -> NSDictionary {
        let result = NSMutableDictionary()
        var place = 0
        for (property, column) in zip(selected, columns) {
            switch column.content {
            case .object:
                if case (.integer(let key), .integer(let number)) = (row[place], row[place + 1]),
                    key > 0, let entity = origin.compiled.entity(numbered: number)
                {
                    let id = NSManagedObjectID(entity: entity, key: key, origin: origin)
                    result.setObject(id, forKey: NSString(string: property.name))
                }
                place += 2
            case .externalData:
                if case .blob(let bytes) = row[place] {
                    let data = try bytes.withUnsafeBytes { try session.externalData($0) }
                    try set(data, of: property, in: result)
                }
                place += 1
            case .value where property.isNil: place += 1
            case .value(let natural):
                let type = property.type == .undefined ? natural : property.type
                if property.transformation != nil, case .blob(let data) = row[place] {
                    try set(data, of: property, in: result)
                } else if row[place] != .null {
                    guard let value = row[place].object(as: type) else {
                        throw mismatch(property, value: row[place], type: type)
                    }
                    result.setObject(value, forKey: NSString(string: property.name))
                }
                place += 1
            }
        }
        return result
    }

    /// Sets a property to data, or to the value that the data of a transformable attribute represents.
    private func set(_ data: Data, of property: SelectedProperty, in result: NSMutableDictionary) throws {
        var value: Any? = NSData(data: data)
        if let transformation = property.transformation { value = try transformation.value(of: data) }
        if let value { result.setObject(value, forKey: NSString(string: property.name)) }
    }

    private func mismatch(_ property: SelectedProperty, value: StoredValue, type: AttributeType) -> CoreDataError {
        CoreDataError(
            CocoaError.Code.fileReadCorruptFile.rawValue,
            "The value of '\(property.name)', \(value.text), is not a value of the type \(type.displayName). Use a wider type, or correct the row.",
            key: property.name)
    }
}

extension StoredValue {
    /// The value as a string.
    fileprivate var text: String {
        switch self {
        case .null: "nothing"
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .text(let text): "'\(text.prefix(40))'"
        case .blob(let data): "\(data.count) bytes"
        case .uuid(let uuid): "\(uuid)"
        }
    }
}
