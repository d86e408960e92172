package import Foundation
package import SwormPredicates

extension StoredValue {
    /// Returns the value as an object of the class that Core Data uses for a type, or nil if the content does not fit
    /// the type.
    package func object(as type: AttributeType) -> NSObject? {
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
