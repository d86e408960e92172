package import SwormPredicates

/// The type of an attribute's values.
public enum NSAttributeType: UInt, Sendable {
    /// No type. Only a transient attribute may have it.
    case undefinedAttributeType = 0
    /// A signed integer of 16 bits.
    case integer16AttributeType = 100
    /// A signed integer of 32 bits.
    case integer32AttributeType = 200
    /// A signed integer of 64 bits.
    case integer64AttributeType = 300
    /// A decimal number, `Decimal` or `NSDecimalNumber`.
    case decimalAttributeType = 400
    /// A floating-point number of 64 bits.
    case doubleAttributeType = 500
    /// A floating-point number of 32 bits.
    case floatAttributeType = 600
    /// A string.
    case stringAttributeType = 700
    /// True or false.
    case booleanAttributeType = 800
    /// A date.
    case dateAttributeType = 900
    /// Binary data.
    case binaryDataAttributeType = 1000
    /// A universally unique identifier.
    case UUIDAttributeType = 1100
    /// A URL.
    case URIAttributeType = 1200
    /// A value that a transformer converts to bytes and back.
    case transformableAttributeType = 1800
    /// The identifier of a managed object. It is not saved in stores.
    case objectIDAttributeType = 2000
    /// A composite of several attributes under one name.
    case compositeAttributeType = 2100
}

extension NSAttributeType {
    /// The corresponding type of the lower layers.
    package var attributeType: SwormPredicates.AttributeType {
        switch self {
        case .undefinedAttributeType: .undefined
        case .integer16AttributeType: .integer16
        case .integer32AttributeType: .integer32
        case .integer64AttributeType: .integer64
        case .decimalAttributeType: .decimal
        case .doubleAttributeType: .double
        case .floatAttributeType: .float
        case .stringAttributeType: .string
        case .booleanAttributeType: .boolean
        case .dateAttributeType: .date
        case .binaryDataAttributeType: .binaryData
        case .UUIDAttributeType: .uuid
        case .URIAttributeType: .uri
        case .transformableAttributeType: .transformable
        case .objectIDAttributeType: .objectID
        case .compositeAttributeType: .composite
        }
    }

    init(_ type: SwormPredicates.AttributeType) {
        self =
            switch type {
            case .undefined: .undefinedAttributeType
            case .integer16: .integer16AttributeType
            case .integer32: .integer32AttributeType
            case .integer64: .integer64AttributeType
            case .decimal: .decimalAttributeType
            case .double: .doubleAttributeType
            case .float: .floatAttributeType
            case .string: .stringAttributeType
            case .boolean: .booleanAttributeType
            case .date: .dateAttributeType
            case .binaryData: .binaryDataAttributeType
            case .uuid: .UUIDAttributeType
            case .uri: .URIAttributeType
            case .transformable: .transformableAttributeType
            case .objectID: .objectIDAttributeType
            case .composite: .compositeAttributeType
            }
    }

    /// The type as the model editor displays it, for messages.
    var displayName: String {
        switch self {
        case .undefinedAttributeType: "Undefined"
        case .integer16AttributeType: "Integer 16"
        case .integer32AttributeType: "Integer 32"
        case .integer64AttributeType: "Integer 64"
        case .decimalAttributeType: "Decimal"
        case .doubleAttributeType: "Double"
        case .floatAttributeType: "Float"
        case .stringAttributeType: "String"
        case .booleanAttributeType: "Boolean"
        case .dateAttributeType: "Date"
        case .binaryDataAttributeType: "Binary"
        case .UUIDAttributeType: "UUID"
        case .URIAttributeType: "URI"
        case .transformableAttributeType: "Transformable"
        case .objectIDAttributeType: "Object ID"
        case .compositeAttributeType: "Composite"
        }
    }
}
