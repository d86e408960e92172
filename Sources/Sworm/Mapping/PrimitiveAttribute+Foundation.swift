public import Foundation
public import SwormPredicates

extension String: PrimitiveAttribute, SupportedAttributeType {
    /// ``PrimitiveKind/string``.
    public static var primitiveKind: PrimitiveKind { .string }
    /// The value in the form in which a store holds it.
    public var attributeValue: AttributeValue { .string(self) }
    /// Creates a value from a stored string.
    public init(attributeValue: AttributeValue) throws {
        guard case .string(let value) = attributeValue else { throw AttributeError.badInput(attributeValue) }
        self = value
    }
}

extension Data: PrimitiveAttribute, SupportedAttributeType {
    /// ``PrimitiveKind/data``.
    public static var primitiveKind: PrimitiveKind { .data }
    /// The value in the form in which a store holds it.
    public var attributeValue: AttributeValue { .data(self) }
    /// Creates a value from stored binary data.
    public init(attributeValue: AttributeValue) throws {
        guard case .data(let value) = attributeValue else { throw AttributeError.badInput(attributeValue) }
        self = value
    }
}

extension Date: PrimitiveAttribute, SupportedAttributeType {
    /// ``PrimitiveKind/date``.
    public static var primitiveKind: PrimitiveKind { .date }
    /// The value in the form in which a store holds it.
    public var attributeValue: AttributeValue { .date(self) }
    /// Creates a value from a stored date.
    public init(attributeValue: AttributeValue) throws {
        guard case .date(let value) = attributeValue else { throw AttributeError.badInput(attributeValue) }
        self = value
    }
}

extension UUID: PrimitiveAttribute, SupportedAttributeType {
    /// ``PrimitiveKind/uuid``.
    public static var primitiveKind: PrimitiveKind { .uuid }
    /// The value in the form in which a store holds it.
    public var attributeValue: AttributeValue { .uuid(self) }
    /// Creates a value from a stored UUID.
    public init(attributeValue: AttributeValue) throws {
        guard case .uuid(let value) = attributeValue else { throw AttributeError.badInput(attributeValue) }
        self = value
    }
}

extension URL: PrimitiveAttribute, SupportedAttributeType {
    /// ``PrimitiveKind/url``.
    public static var primitiveKind: PrimitiveKind { .url }
    /// The value in the form in which a store holds it: the absolute URL, even if it was created relative to another
    /// one.
    public var attributeValue: AttributeValue { .url(baseURL == nil ? self : absoluteURL) }
    /// Creates a value from a stored URL.
    public init(attributeValue: AttributeValue) throws {
        guard case .url(let value) = attributeValue else { throw AttributeError.badInput(attributeValue) }
        self = value
    }
}
