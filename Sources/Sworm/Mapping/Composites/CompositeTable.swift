import SwormPredicates

/// The elements of a composite type, independent of the attribute that has the type. A table is built once and never
/// changes.
final class CompositeTable: Sendable {
    /// An element.
    struct Element: Sendable {
        let name: String
        let isOptional: Bool
        let options: [AttributeOption]
        /// The elements of a composite element. They are determined when they are needed, because a faulty type may contain
        /// itself.
        fileprivate let table: (@Sendable () -> CompositeTable)?

        var composite: CompositeTable? { table?() }
    }

    let typeName: String
    /// Whether the type is a class, which cannot be part of the memory of another value.
    let isClass: Bool
    /// The elements, sorted by name.
    let elements: [Element]
    // Unsafe: key paths are not `Sendable` in general. The key paths of a table are, and the dictionary never changes.
    private nonisolated(unsafe) let indexByKeyPath: [AnyKeyPath: Int]

    private static let tables = Locked<[ObjectIdentifier: CompositeTable]>([:])

    private init<V: CompositeConvertible>(_ type: V.Type) {
        typeName = "\(V.self)"
        isClass = V.self is AnyObject.Type
        let table = V.attributes.sorted { $0.name < $1.name }
        elements = table.map {
            Element(name: $0.name, isOptional: $0.isOptional, options: $0.options, table: $0.table)
        }
        indexByKeyPath = Dictionary(
            table.indices.map { (table[$0].keyPath as AnyKeyPath, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the table of a type.
    static func table<V: CompositeConvertible>(of type: V.Type) -> CompositeTable {
        let key = ObjectIdentifier(type)
        if let known = tables.withLock({ $0[key] }) { return known }
        // Built without the lock, because this runs the user's code. The first of several tables is kept.
        let built = CompositeTable(type)
        return tables.withLock { tables in
            let kept = tables[key] ?? built
            tables[key] = kept
            return kept
        }
    }

    /// The paths of the elements that have values.
    var paths: [[String]] { paths(depth: 0) }

    private func paths(depth: Int) -> [[String]] {
        // Deeper composites are a fault of the table.
        if depth > 2 { return [] }
        return elements.flatMap { element in
            element.composite?.paths(depth: depth + 1).map { [element.name] + $0 } ?? [[element.name]]
        }
    }

    /// Returns the element that a key path refers to.
    func element(at keyPath: AnyKeyPath) -> Element? { indexByKeyPath[keyPath].map { elements[$0] } }
}

/// A composite attribute of an entity, as its table declares it.
struct CompositeMapping: Sendable {
    let name: String
    /// Whether the property is an optional.
    let isOptional: Bool
    let options: [AttributeOption]
    let table: CompositeTable

    init(name: String, isOptional: Bool, options: [AttributeOption], table: CompositeTable) {
        (self.name, self.isOptional, self.options, self.table) = (name, isOptional, options, table)
    }

    init<Owner>(_ composite: AttributeComposite<Owner>) {
        self.init(
            name: composite.name, isOptional: composite.isOptional, options: composite.options, table: composite.table)
    }

    /// Whether the model allows that the whole value is missing.
    var allowsNil: Bool { isOptional || options.contains(.optional) }

    var renamingIdentifier: String? { options.renamingIdentifier }

    /// The names of the elements that have values: `composite.element`.
    var elementNames: [String] { table.paths.map { ([name] + $0).joined(separator: ".") } }

    /// Reports what prevents the table from being stored.
    func check(_ issue: (TableIssue.Kind, String) -> Void) {
        for option in options where !option.isForComposites {
            issue(.unfitOption, "a composite attribute can only be `.optional` or `.renamed(from:)`")
        }
        check(table, at: name, depth: 1, reporting: issue)
    }

    private func check(
        _ table: CompositeTable, at path: String, depth: Int, reporting issue: (TableIssue.Kind, String) -> Void
    ) {
        if table.isClass {
            issue(.unfitComposite, "\(path): a composite attribute is a struct, but \(table.typeName) is a class")
        }
        if table.elements.isEmpty {
            issue(.unfitComposite, "\(path): the table of \(table.typeName) has no attributes")
        }
        var names: Set<String> = []
        for element in table.elements {
            if !names.insert(element.name).inserted {
                issue(.repeatedName, "\(path): two elements have the name '\(element.name)'")
            }
            for option in element.options where option.isForColumns {
                issue(
                    .unfitOption,
                    "\(path).\(element.name): an element of a composite attribute cannot be unique, indexed, external or "
                        + "preserved on deletion; declare it outside of \(table.typeName)")
            }
            guard let inner = element.composite else { continue }
            for option in element.options where !option.isForComposites {
                issue(
                    .unfitOption,
                    "\(path).\(element.name): a composite attribute can only be `.optional` or `.renamed(from:)`")
            }
            if depth == 2 {
                issue(.unfitComposite, "\(path).\(element.name): composite attributes can be nested once")
            } else {
                check(inner, at: "\(path).\(element.name)", depth: depth + 1, reporting: issue)
            }
        }
    }
}

extension [AttributeOption] {
    /// The attribute's name in the previous version of the model.
    var renamingIdentifier: String? {
        for option in self { if case .renamed(let name) = option.content { return name } }
        return nil
    }
}

extension AttributeOption {
    /// Whether a composite attribute as a whole can have the option.
    fileprivate var isForComposites: Bool {
        switch content {
        case .optional, .renamed: true
        default: false
        }
    }

    /// Whether the option needs an attribute that is not part of another one.
    fileprivate var isForColumns: Bool {
        switch content {
        case .unique, .indexed, .textIndex, .external, .preservedOnDeletion: true
        default: false
        }
    }
}
