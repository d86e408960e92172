/// The name of a method.
///
/// A sort descriptor names the comparison of its strings by one:
///
/// ```swift
/// NSSortDescriptor(key: "title", ascending: true, selector: Selector("localizedStandardCompare:"))
/// ```
public struct Selector: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name.
    public let description: String

    /// Creates a selector from a name.
    ///
    /// - Parameter str: The name of the method, with its colons.
    public init(_ str: String) { description = str }

    /// Creates a selector from a literal name.
    public init(stringLiteral value: String) { description = value }
}

/// Returns the selector with a name.
public func NSSelectorFromString(_ aSelectorName: String) -> Selector { Selector(aSelectorName) }

/// Returns the name of a selector.
public func NSStringFromSelector(_ aSelector: Selector) -> String { aSelector.description }
