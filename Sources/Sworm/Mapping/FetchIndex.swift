/// An index over one or several attributes.
///
/// ```swift
/// static let fetchIndexes: [FetchIndex<Book>] = [.init("byYearAndTitle", .descending(\.year), .ascending(\.title))]
/// ```
public struct FetchIndex<PlainObject: ManagedObjectConvertible>: Sendable {
    package let name: String
    package let elements: [Element]

    /// Makes an index over attributes that are in the table.
    ///
    /// - Parameters:
    ///   - name: A name that no other index of the entity has.
    ///   - first: The most significant attribute.
    ///   - others: The other attributes, in their order.
    public init(_ name: String, _ first: Element, _ others: Element...) {
        self.name = name
        elements = [first] + others
    }

    /// Makes an index over attributes that are in the table, all of them ascending.
    public init(
        _ name: String, _ first: any PartialKeyPath<PlainObject> & Sendable,
        _ others: any PartialKeyPath<PlainObject> & Sendable...
    ) {
        self.name = name
        elements = ([first] + others).map { .ascending($0) }
    }

    /// An attribute in an index.
    public struct Element: Sendable {
        package let keyPath: any PartialKeyPath<PlainObject> & Sendable
        package let isAscending: Bool

        /// The attribute, smallest value first.
        public static func ascending(_ keyPath: any PartialKeyPath<PlainObject> & Sendable) -> Element {
            Element(keyPath: keyPath, isAscending: true)
        }

        /// The attribute, largest value first.
        public static func descending(_ keyPath: any PartialKeyPath<PlainObject> & Sendable) -> Element {
            Element(keyPath: keyPath, isAscending: false)
        }
    }
}
