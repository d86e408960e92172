import Foundation

extension AttributeValue {
    /// The value as an ordinary Swift or Foundation value, or nil for null.
    ///
    /// The value is a `Bool`, `Int64`, `Double`, `Decimal`, `String`, `Date`, `Data`, `UUID`, `URL` or
    /// ``ObjectReference``.
    public var foundationValue: Any? {
        switch self {
        case .null: nil
        case .bool(let value): value
        case .int(let value): value
        case .double(let value): value
        case .decimal(let value): value
        case .string(let value): value
        case .date(let value): value
        case .data(let value): value
        case .uuid(let value): value
        case .url(let value): value
        case .object(let value): value
        }
    }

    /// The value in the types of Cocoa's keyed access: numbers and booleans as `NSNumber`.
    package var cocoaValue: Any? {
        switch self {
        case .null: nil
        case .bool(let value): NSNumber(value: value)
        case .int(let value): NSNumber(value: value)
        case .double(let value): NSNumber(value: value)
        case .decimal(let value): NSDecimalNumber(decimal: value)
        default: foundationValue
        }
    }

    /// Creates the value that a loosely typed value represents, or nil if an attribute cannot hold such a value.
    ///
    /// Accepts nil, `NSNull`, integers and floating-point numbers, `NSNumber`, `Decimal`, strings, dates, data, UUIDs,
    /// URLs and object references, whether or not they are wrapped in optionals.
    ///
    /// - Parameter any: The loosely typed value.
    public init?(any: Any?) {
        guard let any else {
            self = .null
            return
        }
        switch any {
        case is NSNull: self = .null
        case let value as AttributeValue: self = value
        case let value as String: self = .string(value)
        // This case must precede every Swift number, because any `NSNumber` of zero or one can be cast to a Boolean
        // here.
        case let value as NSNumber where type(of: any) is NSNumber.Type: self.init(number: value)
        case let value as Bool: self = .bool(value)
        case let value as Int: self = .int(Int64(value))
        case let value as Double: self = .double(value)
        case let value as Float: self = .double(Double(value))
        case let value as Decimal: self = .decimal(value)
        case let value as Date: self = .date(value)
        case let value as Data: self = .data(value)
        case let value as UUID: self = .uuid(value)
        case let value as URL: self = .url(value)
        case let value as ObjectReference: self = .object(value)
        case let value as any BinaryInteger:
            guard let exact = Int64(exactly: value) else { return nil }
            self = .int(exact)
        default:
            let mirror = Mirror(reflecting: any)
            guard mirror.displayStyle == .optional else { return nil }
            self.init(any: mirror.children.first?.value)
        }
    }

    private init?(number: NSNumber) {
        if let decimal = number as? NSDecimalNumber {
            self = .decimal(decimal.decimalValue)
            return
        }
        switch UInt8(bitPattern: number.objCType.pointee) {
        // The type of `NSNumber(value: true)`, and on Apple's platforms also that of an `Int8`.
        case UInt8(ascii: "c") where number.isBoolean: self = .bool(number.boolValue)
        case UInt8(ascii: "d"), UInt8(ascii: "f"): self = .double(number.doubleValue)
        case UInt8(ascii: "Q"):
            guard let exact = Int64(exactly: number.uint64Value) else { return nil }
            self = .int(exact)
        default: self = .int(number.int64Value)
        }
    }
}

extension NSNumber {
    /// Whether the number was created from a Boolean.
    fileprivate var isBoolean: Bool {
        #if canImport(Darwin)
        CFGetTypeID(self) == CFBooleanGetTypeID()
        #else
        // Booleans have a separate class; every other number is an `NSNumber` itself.
        type(of: self) != NSNumber.self
        #endif
    }
}
