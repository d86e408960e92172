// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A stand-in for the few names of SwiftUI that SwormUI uses, with Apple's signatures. It shows that the code type-checks
// against them and behaves in the small renderer of this module; it says nothing about Apple's framework.

/// A property of a view that is updated before the view's body is read.
public protocol DynamicProperty {
    mutating func update()
}

extension DynamicProperty {
    public mutating func update() {}
}

public protocol EnvironmentKey {
    associatedtype Value
    static var defaultValue: Value { get }
}

public struct EnvironmentValues {
    private var values: [ObjectIdentifier: Any] = [:]

    /// The values for the view that is being rendered, which happens on the main actor.
    nonisolated(unsafe) static var current = EnvironmentValues()

    public init() {}

    public subscript<Key: EnvironmentKey>(key: Key.Type) -> Key.Value {
        get { values[ObjectIdentifier(key)] as? Key.Value ?? Key.defaultValue }
        set { values[ObjectIdentifier(key)] = newValue }
    }
}

@propertyWrapper
public struct Environment<Value>: DynamicProperty {
    private let keyPath: KeyPath<EnvironmentValues, Value>

    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { self.keyPath = keyPath }

    public var wrappedValue: Value { EnvironmentValues.current[keyPath: keyPath] }
}

/// A value that remains while its view is created again.
@propertyWrapper
public struct State<Value>: DynamicProperty, AnyState {
    final class Location {
        var value: Value
        /// The location that the view had when it was rendered first.
        var first: Location?

        init(_ value: Value) { self.value = value }
    }

    private let location: Location

    public init(wrappedValue value: Value) { location = Location(value) }

    public var wrappedValue: Value {
        get { (location.first ?? location).value }
        nonmutating set { (location.first ?? location).value = newValue }
    }

    func attach(to first: AnyObject?) -> AnyObject {
        let first = first as? Location
        location.first = first === location ? nil : first
        return location.first ?? location
    }
}

protocol AnyState {
    /// Attaches the property to the location that the view had before, and returns the location that it has now.
    func attach(to first: AnyObject?) -> AnyObject
}

public struct Animation: Equatable, Sendable {
    private let name: String

    public static let `default` = Animation(name: "default")
    public static let smooth = Animation(name: "smooth")

    /// The animations that were used since the start, for tests.
    @MainActor public static var used: [Animation] = []
}

/// Runs a closure with an animation.
///
/// Apple's function is not isolated. Views call it on the main actor.
public func withAnimation<Result>(_ animation: Animation? = .default, _ body: () throws -> Result) rethrows -> Result {
    MainActor.assumeIsolated { if let animation { Animation.used.append(animation) } }
    return try body()
}
