#if !canImport(CoreData)
import Foundation
import SwormPredicates
import SwormSQLite
import SwormRows

extension PrimitiveKind {
    /// Returns whether an attribute of a type can be read and written as values of the kind. A transformable attribute
    /// is read as the bytes that its transformer produced.
    func accepts(_ type: AttributeType) -> Bool {
        compatibleTypes.contains(type) || type == .transformable && self == .data
    }

    /// Returns the value of a column.
    func value(in view: borrowing ColumnView) throws -> AttributeValue {
        if view.isNull { return .null }
        return switch self {
        case .bool: .bool(try view.bool())
        case .int, .int16, .int32, .int64: .int(try view.int64())
        case .float, .double: .double(try view.double())
        case .decimal: .decimal(try view.decimal())
        case .date: .date(try view.date())
        case .string: .string(try view.string())
        case .data: .data(try view.data())
        case .uuid: .uuid(try view.uuid())
        case .url: .url(try view.url())
        }
    }
}

extension FieldKind {
    init(_ kind: PrimitiveKind, isOptional: Bool) {
        self =
            switch kind {
            case .bool: isOptional ? .optionalBool : .bool
            case .int: isOptional ? .optionalInt : .int
            case .int16: isOptional ? .optionalInt16 : .int16
            case .int32: isOptional ? .optionalInt32 : .int32
            case .int64: isOptional ? .optionalInt64 : .int64
            case .float: isOptional ? .optionalFloat : .float
            case .double: isOptional ? .optionalDouble : .double
            case .decimal: isOptional ? .optionalDecimal : .decimal
            case .date: isOptional ? .optionalDate : .date
            case .string: isOptional ? .optionalString : .string
            case .data: isOptional ? .optionalData : .data
            case .uuid: isOptional ? .optionalUUID : .uuid
            case .url: isOptional ? .optionalURL : .url
            }
    }
}
#endif
