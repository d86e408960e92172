import Foundation
import SwormPredicates
import SwormSQLite

/// A property of a dictionary, as a request names it.
struct SelectedProperty {
    var name: String
    var expression: ExpressionTree
    /// The type that the value is to have; undefined for the one that it has.
    var type: AttributeType = .undefined
}

/// Makes dictionaries from stored rows. A property without a value is not in its dictionary.
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
                    let entity = Int(exactly: number), origin.compiled.entities.indices.contains(entity - 1)
                {
                    let id = NSManagedObjectID(entity: origin.compiled[entity], key: key, origin: origin)
                    result.setObject(id, forKey: NSString(string: property.name))
                }
                place += 2
            case .externalData:
                if case .blob(let bytes) = row[place] {
                    let data = try bytes.withUnsafeBytes { try session.externalData($0) }
                    result.setObject(NSData(data: data), forKey: NSString(string: property.name))
                }
                place += 1
            case .value(let natural):
                let type = property.type == .undefined ? natural : property.type
                if row[place] != .null {
                    guard let value = row[place].object(as: type) else { throw mismatch(property, row[place], type) }
                    result.setObject(value, forKey: NSString(string: property.name))
                }
                place += 1
            }
        }
        return result
    }

    private func mismatch(_ property: SelectedProperty, _ value: StoredValue, _ type: AttributeType) -> CoreDataError {
        CoreDataError(
            CocoaError.Code.fileReadCorruptFile.rawValue,
            "The value of “\(property.name)”, \(value.text), is none of the type \(type.displayName). Ask for a wider type, or mend the row.",
            key: property.name)
    }
}

extension StoredValue {
    /// The value in words.
    fileprivate var text: String {
        switch self {
        case .null: "nothing"
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .text(let text): "“\(text.prefix(40))”"
        case .blob(let data): "\(data.count) bytes"
        case .uuid(let uuid): "\(uuid)"
        }
    }

    /// The value as an object of the class that Core Data gives for a type; nil where it is none of it.
    fileprivate func object(as type: AttributeType) -> NSObject? {
        switch (type, self) {
        case (.integer16, .integer(let number)): Int16(exactly: number).map { NSNumber(value: $0) }
        case (.integer32, .integer(let number)): Int32(exactly: number).map { NSNumber(value: $0) }
        case (.integer64, .integer(let number)), (.undefined, .integer(let number)): NSNumber(value: number)
        case (.boolean, .integer(let number)): NSNumber(value: number != 0)
        case (.double, .real(let number)), (.undefined, .real(let number)): NSNumber(value: number)
        case (.double, .integer(let number)): NSNumber(value: Double(number))
        case (.float, .real(let number)): NSNumber(value: Float(number))
        case (.float, .integer(let number)): NSNumber(value: Float(number))
        case (.decimal, .integer(let number)): NSDecimalNumber(decimal: Decimal(number))
        case (.decimal, .real(let number)):
            DecimalColumn.number(from: number).map { NSDecimalNumber(decimal: $0) }
        case (.decimal, .text(let text)):
            (text.last == DecimalColumn.suffix ? Decimal(string: String(text.dropLast())) : nil)
                .map { NSDecimalNumber(decimal: $0) }
        case (.date, .real(let seconds)): NSDate(timeIntervalSinceReferenceDate: seconds)
        case (.date, .integer(let seconds)): NSDate(timeIntervalSinceReferenceDate: Double(seconds))
        case (.string, .text(let text)), (.undefined, .text(let text)): NSString(string: text)
        case (.uri, .text(let text)): NSURL(string: text)
        case (.uuid, .blob(let data)) where data.count == 16:
            NSUUID(uuidBytes: [UInt8](data))
        case (.binaryData, .blob(let data)), (.transformable, .blob(let data)), (.undefined, .blob(let data)):
            NSData(data: data)
        default: nil
        }
    }
}
