/// An index over one or more attributes.
///
/// ```swift
/// static let fetchIndexes: [FetchIndex<Book>] = [.init("byYearAndTitle", .descending(\.year), .ascending(\.title))]
/// ```
public struct FetchIndex<PlainObject: SendableMetatype>: Sendable {
    let name: String
    let elements: [Element]

    /// Creates an index over attributes of the table.
    ///
    /// - Parameters:
    ///   - name: A name that is unique among the indexes of the entity.
    ///   - first: The most significant attribute.
    ///   - others: The other attributes, in order of significance.
    public init(_ name: String, _ first: Element, _ others: Element...) {
        self.name = name
        elements = [first] + others
    }

    /// Creates an index over attributes of the table, all of them ascending.
    public init(
        _ name: String, _ first: any PartialKeyPath<PlainObject> & Sendable,
        _ others: any PartialKeyPath<PlainObject> & Sendable...
    ) {
        self.name = name
        elements = ([first] + others).map { .ascending($0) }
    }

    /// An attribute in an index.
    public struct Element: Sendable {
        let keyPath: any PartialKeyPath<PlainObject> & Sendable
        let isAscending: Bool

        /// Returns the attribute in ascending order.
        public static func ascending(_ keyPath: any PartialKeyPath<PlainObject> & Sendable) -> Element {
            Element(keyPath: keyPath, isAscending: true)
        }

        /// Returns the attribute in descending order.
        public static func descending(_ keyPath: any PartialKeyPath<PlainObject> & Sendable) -> Element {
            Element(keyPath: keyPath, isAscending: false)
        }
    }
}
