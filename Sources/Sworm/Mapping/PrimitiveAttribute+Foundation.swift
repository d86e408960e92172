public import Foundation
public import SwormPredicates

extension String: PrimitiveAttribute, SupportedAttributeType {
    /// ``PrimitiveKind/string``.
    public static var primitiveKind: PrimitiveKind { .string }
    /// The value as a store holds it.
    public var attributeValue: AttributeValue { .string(self) }
    /// Takes a value of this very type.
    public init(attributeValue: AttributeValue) throws {
        guard case .string(let value) = attributeValue else { throw AttributeError.badInput(attributeValue) }
        self = value
    }
}

extension Data: PrimitiveAttribute, SupportedAttributeType {
    /// ``PrimitiveKind/data``.
    public static var primitiveKind: PrimitiveKind { .data }
    /// The value as a store holds it.
    public var attributeValue: AttributeValue { .data(self) }
    /// Takes a value of this very type.
    public init(attributeValue: AttributeValue) throws {
        guard case .data(let value) = attributeValue else { throw AttributeError.badInput(attributeValue) }
        self = value
    }
}

extension Date: PrimitiveAttribute, SupportedAttributeType {
    /// ``PrimitiveKind/date``.
    public static var primitiveKind: PrimitiveKind { .date }
    /// The value as a store holds it.
    public var attributeValue: AttributeValue { .date(self) }
    /// Takes a value of this very type.
    public init(attributeValue: AttributeValue) throws {
        guard case .date(let value) = attributeValue else { throw AttributeError.badInput(attributeValue) }
        self = value
    }
}

extension UUID: PrimitiveAttribute, SupportedAttributeType {
    /// ``PrimitiveKind/uuid``.
    public static var primitiveKind: PrimitiveKind { .uuid }
    /// The value as a store holds it.
    public var attributeValue: AttributeValue { .uuid(self) }
    /// Takes a value of this very type.
    public init(attributeValue: AttributeValue) throws {
        guard case .uuid(let value) = attributeValue else { throw AttributeError.badInput(attributeValue) }
        self = value
    }
}

extension URL: PrimitiveAttribute, SupportedAttributeType {
    /// ``PrimitiveKind/url``.
    public static var primitiveKind: PrimitiveKind { .url }
    /// The value as a store holds it: the whole URL, also when it was made relative to another one.
    public var attributeValue: AttributeValue { .url(baseURL == nil ? self : absoluteURL) }
    /// Takes a value of this very type.
    public init(attributeValue: AttributeValue) throws {
        guard case .url(let value) = attributeValue else { throw AttributeError.badInput(attributeValue) }
        self = value
    }
}
