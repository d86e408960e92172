public import Foundation
public import SwormPredicates

extension Bool: PrimitiveAttribute, SupportedAttributeType {
    /// ``PrimitiveKind/bool``.
    public static var primitiveKind: PrimitiveKind { .bool }
    /// The value in the form in which a store holds it.
    public var attributeValue: AttributeValue { .bool(self) }
    /// Creates a value from a stored Boolean value, or from 0 or 1.
    public init(attributeValue: AttributeValue) throws {
        switch attributeValue {
        case .bool(let value): self = value
        case .int(0): self = false
        case .int(1): self = true
        default: throw AttributeError.badInput(attributeValue)
        }
    }
}

extension FixedWidthInteger where Self: PrimitiveAttribute {
    /// The value in the form in which a store holds it.
    public var attributeValue: AttributeValue { .int(Int64(self)) }
    /// Creates a value from a stored integer that fits, or from a Boolean value as 0 or 1.
    public init(attributeValue: AttributeValue) throws {
        switch attributeValue {
        case .int(let value):
            guard let exact = Self(exactly: value) else { throw AttributeError.badInput(attributeValue) }
            self = exact
        case .bool(let value): self = value ? 1 : 0
        default: throw AttributeError.badInput(attributeValue)
        }
    }
}

extension Int: PrimitiveAttribute, SupportedAttributeType {
    /// ``PrimitiveKind/int``.
    public static var primitiveKind: PrimitiveKind { .int }
}

extension Int16: PrimitiveAttribute, SupportedAttributeType {
    /// ``PrimitiveKind/int16``.
    public static var primitiveKind: PrimitiveKind { .int16 }
}

extension Int32: PrimitiveAttribute, SupportedAttributeType {
    /// ``PrimitiveKind/int32``.
    public static var primitiveKind: PrimitiveKind { .int32 }
}

extension Int64: PrimitiveAttribute, SupportedAttributeType {
    /// ``PrimitiveKind/int64``.
    public static var primitiveKind: PrimitiveKind { .int64 }
}

extension Double: PrimitiveAttribute, SupportedAttributeType {
    /// ``PrimitiveKind/double``.
    public static var primitiveKind: PrimitiveKind { .double }
    /// The value in the form in which a store holds it.
    public var attributeValue: AttributeValue { .double(self) }
    /// Creates a value from a stored number that a `Double` represents exactly.
    public init(attributeValue: AttributeValue) throws {
        switch attributeValue {
        case .double(let value): self = value
        case .int(let value):
            guard let exact = Double(exactly: value) else { throw AttributeError.badInput(attributeValue) }
            self = exact
        default: throw AttributeError.badInput(attributeValue)
        }
    }
}

extension Float: PrimitiveAttribute, SupportedAttributeType {
    /// ``PrimitiveKind/float``.
    public static var primitiveKind: PrimitiveKind { .float }
    /// The value in the form in which a store holds it: converted to a `Double` without loss.
    public var attributeValue: AttributeValue { .double(Double(self)) }
    /// Creates the nearest `Float`.
    ///
    /// Throws an error if a finite number is larger than the largest `Float`.
    public init(attributeValue: AttributeValue) throws {
        let value = try Double(attributeValue: attributeValue)
        let narrow = Float(value)
        guard narrow.isFinite || !value.isFinite else { throw AttributeError.badInput(attributeValue) }
        self = narrow
    }
}

extension Decimal: PrimitiveAttribute, SupportedAttributeType {
    /// ``PrimitiveKind/decimal``.
    public static var primitiveKind: PrimitiveKind { .decimal }
    /// The value in the form in which a store holds it.
    public var attributeValue: AttributeValue { .decimal(self) }
    /// Creates a value from a stored decimal number or integer.
    public init(attributeValue: AttributeValue) throws {
        switch attributeValue {
        case .decimal(let value): self = value
        case .int(let value): self = Decimal(value)
        default: throw AttributeError.badInput(attributeValue)
        }
    }
}
