public import Foundation
import SwormPredicates

/// A conversion of values, by which a transformable attribute stores values of any type.
///
/// A transformable attribute names the transformer that converts its values to data, and back. Register the transformer
/// under that name before the first value is read:
///
/// ```swift
/// final class ColorTransformer: ValueTransformer {
///     override class func allowsReverseTransformation() -> Bool { true }
///     override func transformedValue(_ value: Any?) -> Any? { (value as? Color).map { Data([$0.red, $0.green, $0.blue]) } }
///     override func reverseTransformedValue(_ value: Any?) -> Any? { (value as? Data).flatMap { Color($0) } }
/// }
/// ValueTransformer.setValueTransformer(ColorTransformer(), forName: NSValueTransformerName("ColorTransformer"))
/// ```
/// Contexts call a transformer from their own threads, several at a time. Foundation has this class on Apple platforms only.
open class ValueTransformer: NSObject {
    /// Creates a transformer.
    public override init() { super.init() }

    /// Returns the class of the values that ``transformedValue(_:)`` returns.
    open class func transformedValueClass() -> AnyClass { NSObject.self }

    /// Returns whether ``reverseTransformedValue(_:)`` converts values back. A transformable attribute needs that.
    open class func allowsReverseTransformation() -> Bool { true }

    /// Returns the result of a conversion; here, the value itself.
    open func transformedValue(_ value: Any?) -> Any? { value }

    /// Returns the value from which ``transformedValue(_:)`` returns the given one; here, the result of that method.
    open func reverseTransformedValue(_ value: Any?) -> Any? { transformedValue(value) }

    /// Registers a transformer.
    ///
    /// - Parameters:
    ///   - transformer: The transformer; nil to remove the one with the name.
    ///   - name: The name by which attributes refer to it.
    open class func setValueTransformer(_ transformer: ValueTransformer?, forName name: NSValueTransformerName) {
        Self.registry.withLock { $0[name] = transformer }
    }

    /// Returns the names of all registered transformers.
    open class func valueTransformerNames() -> [NSValueTransformerName] {
        Self.registry.withLock { $0.keys.sorted { $0.rawValue < $1.rawValue } }
    }

    private static let registry = Locked<[NSValueTransformerName: ValueTransformer]>([
        .negateBooleanTransformerName: BooleanTransformer { ($0 as? NSNumber)?.boolValue != true },
        .isNilTransformerName: BooleanTransformer { $0 == nil || $0 is NSNull },
        .isNotNilTransformerName: BooleanTransformer { !($0 == nil || $0 is NSNull) },
        .keyedUnarchiveFromDataTransformerName: NSSecureUnarchiveFromDataTransformer(),
        .secureUnarchiveFromDataTransformerName: NSSecureUnarchiveFromDataTransformer(),
    ])

    /// Returns the transformer with a name; nil if none is registered.
    final class func registered(_ name: NSValueTransformerName) -> ValueTransformer? {
        Self.registry.withLock { $0[name] }
    }
}

/// A protocol of the value transformer class, for the initializer that returns a registered transformer.
public protocol ValueTransforming {}

extension ValueTransformer: ValueTransforming {}

extension ValueTransforming where Self == ValueTransformer {
    /// Returns a registered transformer; nil if no transformer has the name.
    ///
    /// - Parameter name: The name under which the transformer was registered.
    public init?(forName name: NSValueTransformerName) {
        guard let transformer = ValueTransformer.registered(name) else { return nil }
        self = transformer
    }
}

/// A transformer that returns a Boolean, which cannot be converted back.
private final class BooleanTransformer: ValueTransformer {
    private let test: (Any?) -> Bool

    init(_ test: @escaping (Any?) -> Bool) {
        self.test = test
        super.init()
    }

    override class func transformedValueClass() -> AnyClass { NSNumber.self }
    override class func allowsReverseTransformation() -> Bool { false }
    override func transformedValue(_ value: Any?) -> Any? { NSNumber(value: test(value)) }
    override func reverseTransformedValue(_ value: Any?) -> Any? { nil }
}
