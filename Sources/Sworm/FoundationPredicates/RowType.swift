/// The members that key paths from a row of an entity refer to.
struct RowType: Sendable {
    let entityName: String
    /// Returns the member at a key path from the predicate's type: the plain type, or its ``Row``.
    let member: @Sendable (AnyKeyPath) -> RowMember?
    /// Returns the member at a key path from the plain type.
    let plainMember: @Sendable (AnyKeyPath) -> RowMember?
    /// Returns the error for a key path from the plain type that is not in the table.
    let unknown: @Sendable (AnyKeyPath) -> StoreError
    /// The paths of the elements that have values, for a composite attribute; nil for an entity.
    private(set) var elements: [[String]]?

    /// Creates the type of the rows of `#Predicate<Book>`.
    init<T: ManagedObjectConvertible>(_ type: T.Type) {
        self.init(type) { namedMember(of: T.self, at: $0) }
    }

    /// Creates the type of the rows of `#Predicate<Row<Book>>`.
    init<T: ManagedObjectConvertible>(_ type: Row<T>.Type) {
        self.init(T.self) { RowRecorder.member(of: T.self, at: $0) }
    }

    /// Creates the type of a composite attribute.
    init(_ composite: CompositeTable, of entityName: String) {
        self.entityName = entityName
        let member: @Sendable (AnyKeyPath) -> RowMember? = { keyPath in
            // A nested property may be an element under a longer key path.
            guard let element = composite.element(at: keyPath) else { return .part(keyPath) }
            guard let inner = element.composite else {
                return .attribute(element.name, isOptional: element.isOptional)
            }
            return .composite(element.name, RowType(inner, of: entityName), isOptional: element.isOptional)
        }
        self.member = member
        plainMember = member
        unknown = {
            StoreError(
                .unknownKeyPath,
                "\(keyPathName($0).text) is not in the table of attributes of \(composite.typeName). Add it to `attributes`.",
                entity: entityName)
        }
        elements = composite.paths
    }

    private init<T: ManagedObjectConvertible>(_ type: T.Type, _ member: @escaping @Sendable (AnyKeyPath) -> RowMember?)
    {
        entityName = T.entityName
        self.member = member
        plainMember = { namedMember(of: T.self, at: $0) }
        unknown = { unknownMember(of: T.self, $0) }
    }
}

extension RowType {
    /// Returns a predicate that an element of a composite attribute has a value.
    func hasElement(in tree: ExpressionTree) -> PredicateTree {
        let tests = (elements ?? []).map { path in
            PredicateTree.comparison(
                Comparison(
                    path.reduce(tree) { .key($0, $1) }, by: .notEqual, with: .value(.null)))
        }
        return tests.count == 2 ? .disjunction(tests[0], tests[1]) : tests.count == 1 ? tests[0] : .or(tests)
    }
}

/// A member that a key path from a row refers to.
enum RowMember {
    case attribute(String, isOptional: Bool)
    case toOne(String, RowType)
    case composite(String, RowType, isOptional: Bool)
    case toMany(String, RowType, isOrdered: Bool)
    /// The identity of the row.
    case identity
    /// A part of the plain type that is not an attribute itself, but may contain one.
    case part(AnyKeyPath)
}

private func namedMember<T: ManagedObjectConvertible>(of type: T.Type, at keyPath: AnyKeyPath) -> RowMember? {
    guard let plain = keyPath as? PartialKeyPath<T> else { return nil }
    if let composite = T.mapping.composite(at: plain) {
        return .composite(
            composite.name, RowType(composite.table, of: T.entityName), isOptional: composite.isOptional)
    }
    guard let attribute = try? T.mapping.attribute(plain) else { return .part(plain) }
    return .attribute(attribute.name, isOptional: attribute.isOptional)
}

private func unknownMember<T: ManagedObjectConvertible>(of type: T.Type, _ keyPath: AnyKeyPath) -> StoreError {
    guard let plain = keyPath as? PartialKeyPath<T> else {
        return .predicate("\(keyPathName(keyPath).text) is not an attribute or a relation", entity: T.entityName)
    }
    do {
        return .predicate("\(try T.mapping.attribute(plain).name) cannot be used here", entity: T.entityName)
    } catch {
        return StoreError(
            error.code,
            "\(error.message) A key path that generic code forms through a protocol requirement is not the "
                + "key path of the property, so it cannot be found.",
            entity: error.entity, attribute: error.attribute)
    }
}
