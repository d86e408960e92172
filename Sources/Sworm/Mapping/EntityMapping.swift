import SwormPredicates

/// The validated tables of a type: attributes, relations, constraints and indexes. A mapping is built once and never
/// changes.
final class EntityMapping<T: ManagedTreeConvertible>: AnyEntityMapping {
    let entityName: String
    /// The entity's name in the previous version of the model, or nil if it is the same.
    let formerEntityName: String?
    /// The qualified name of the type, with its module and enclosing types, for messages.
    var typeName: String { String(reflecting: T.self) }
    /// The attributes, sorted by name.
    let attributes: [AttributeMapping]
    /// The relations, in the order of their declaration.
    let relations: [RelationMapping]
    /// The names of the attributes whose values must be unique together.
    let uniquenessConstraints: [[String]]
    let indexes: [IndexMapping]
    /// The issues of these tables alone. See ``tableIssues(of:)`` for issues between tables.
    let issues: [TableIssue]
    /// Whether the type is a class. A new instance of a class must be created for every row.
    let isClass: Bool
    /// Whether rows may be created as copies of one new instance: the attributes cover all of its memory, or the rest
    /// is the same in every new instance. Otherwise, `init()` must be called for every row.
    let sharesTemplate: Bool

    /// The composite attributes, sorted by name. Their elements are attributes with the names `composite.element`.
    let composites: [CompositeMapping]
    /// The cases of an enum of structs; empty for any other type. The attributes are then those that the cases share.
    let cases: [any SubentityLink<T>]

    /// The branches of a tree, in the order of their declaration; empty for any other type.
    let branches: [Branch<T>]
    /// Whether the type is a tree. Stored, because a call of an array of a generic type requests metadata at run time.
    let hasBranches: Bool

    /// The attributes that a tree may leave out; see ``Attribute/isLeftOut``.
    private let partialAttributes: [(index: Int, isLeftOut: (@Sendable (T) -> Bool)?)]

    private let readers: [@Sendable (T) throws -> AttributeValue]
    private let writers: [@Sendable (inout T, AttributeValue) throws -> Void]
    private let fields: [FieldRead]
    private let places: FieldOffsets
    /// The attributes as expressions of conditions. They are created once, because every condition would recreate them.
    private let expressions: [ExpressionTree]
    private let indexByName: [String: Int]
    // Unsafe: key paths are not `Sendable` in general. The key paths of a table are, and the dictionary never changes.
    private nonisolated(unsafe) let indexByKeyPath: [AnyKeyPath: Int]
    private nonisolated(unsafe) let partByKeyPath: [AnyKeyPath: Int]
    /// The composite attributes, and those that they contain without being optional.
    let parts: [CompositePart<T>]

    init() {
        let name = T.Entity.entityName
        let declared = T.attributes.sorted { ($0.name, "\($0.keyPath)") < ($1.name, "\($1.keyPath)") }
        let table = declared.flatMap { $0.lines(0) }.sorted { $0.name < $1.name }
        var issues: [TableIssue] = []
        let samples = FreshInstances<T>()

        entityName = name
        formerEntityName = T.Entity.formerEntityName
        cases = T.subentityLinks
        let branches = T.branches
        self.branches = branches
        hasBranches = !branches.isEmpty
        relations = Mirror(reflecting: T.Entity.relations).children.compactMap { child in
            (child.value as? any Relation).map { RelationMapping(label: child.label ?? "", relation: $0) }
        }
        let attributes = table.map { line in
            AttributeMapping(
                name: line.name, kind: line.kind, isOptional: line.isOptional, isPrimitive: line.isPrimitive,
                offset: line.offset, typeName: line.typeName,
                traits: AttributeTraits(kind: line.kind, isOptional: line.isOptional, options: line.options) {
                    issues.append(TableIssue($0, entity: name, member: line.name, message: $1))
                },
                defaultValue: samples.commonValue(of: line))
        }
        let places = Dictionary(
            table.indices.compactMap { index in table[index].keyPath.map { ($0 as AnyKeyPath, index) } },
            uniquingKeysWith: { first, _ in first })
        self.attributes = attributes
        let parts = declared.flatMap { $0.composites?(0) ?? [] }
        self.parts = parts.map { part in
            let names = Set(CompositeMapping(part).elementNames)
            return CompositePart(
                composite: CompositeMapping(part),
                indices: attributes.indices.filter { names.contains(attributes[$0].name) }, clear: part.clear)
        }
        partByKeyPath = Dictionary(
            parts.indices.map { (parts[$0].keyPath as AnyKeyPath, $0) }, uniquingKeysWith: { first, _ in first })
        let composites = declared.compactMap { attribute in
            attribute.table.map {
                CompositeMapping(
                    name: attribute.name, isOptional: attribute.isOptional, options: attribute.options, table: $0())
            }
        }
        self.composites = composites
        for composite in composites {
            composite.check { issues.append(TableIssue($0, entity: name, member: composite.name, message: $1)) }
        }
        partialAttributes = declared.filter(\.isPartial).compactMap { attribute in
            attributes.firstIndex { $0.name == attribute.name }.map { ($0, attribute.isLeftOut) }
        }
        expressions = attributes.map { .key(.evaluatedObject, $0.name) }
        readers = table.map(\.read)
        writers = table.map(\.write)
        indexByName = Dictionary(
            attributes.indices.map { (attributes[$0].name, $0) }, uniquingKeysWith: { first, _ in first })
        indexByKeyPath = places
        let isClass = T.self is AnyObject.Type
        self.isClass = isClass
        fields = attributes.map { FieldRead($0, isClass: isClass) }
        self.places = FieldOffsets(table)
        sharesTemplate = samples.shareTemplate(declared, besides: branches.compactMap(\.content.memory))

        let columns = ColumnNames<T>(
            entity: name, indexByKeyPath: places, attributes: attributes, composites: Set(parts.map(\.keyPath)))
        uniquenessConstraints = columns.constraints(
            T.Entity.uniquenessConstraints as? [UniquenessConstraint<T>] ?? [], issues: &issues)
        indexes = columns.indexes(T.Entity.fetchIndexes as? [FetchIndex<T>] ?? [], issues: &issues)
        self.issues =
            tableIssues(entity: name, table: declared, relations: relations)
            + overlapIssues(entity: name, table: declared, lines: table) + issues
    }

    var name: String { "\(T.self)" }

    var entity: (any AnyEntityMapping)? {
        ObjectIdentifier(T.self) == ObjectIdentifier(T.Entity.self) ? nil : T.Entity.mapping
    }

    var partialNames: [String] { partialAttributes.map { attributes[$0.index].name } }

    /// Returns the index of the attribute with the given name.
    func index(named name: String) -> Int? {
        indexByName[name]
    }

    /// Returns the index of the attribute that a key path refers to.
    ///
    /// - Throws: A ``StoreError`` with the code `unknownKeyPath` if the table does not contain the key path.
    func index(of keyPath: PartialKeyPath<T>) throws(StoreError) -> Int {
        if let index = places.index(of: keyPath) ?? indexByKeyPath[keyPath] { return index }
        throw unknownKeyPath(keyPath, entity: entityName, attributes: attributes)
    }

    /// Returns the attribute that a key path refers to, as an expression about the row that a condition evaluates.
    ///
    /// - Throws: A ``StoreError`` with the code `unknownKeyPath`. See ``index(of:)``.
    func expression(of keyPath: PartialKeyPath<T>) throws(StoreError) -> ExpressionTree {
        expressions[try index(of: keyPath)]
    }

    /// Returns the attribute that a key path refers to.
    func attribute(_ keyPath: PartialKeyPath<T>) throws(StoreError) -> AttributeMapping {
        attributes[try index(of: keyPath)]
    }

    /// Reads an attribute of an object.
    ///
    /// - Throws: ``AttributeError/badAttribute(_:)``.
    func read(_ index: Int, of object: T) throws -> AttributeValue {
        do {
            return try readers[index](object)
        } catch {
            throw attributeError(at: index, value: nil, cause: error)
        }
    }

    /// Writes an attribute of an object.
    ///
    /// - Throws: ``AttributeError/badAttribute(_:)``.
    func write(_ value: AttributeValue, at index: Int, into object: inout T) throws {
        do {
            try writers[index](&object, value)
        } catch {
            throw attributeError(at: index, value: value, cause: error)
        }
    }

    /// Returns the values of all attributes, in the order of ``attributes``.
    func values(of object: T) throws -> [AttributeValue] {
        // An empty array must be returned early: the initializer would write a count into the storage that all empty
        // arrays of the process share.
        guard !fields.isEmpty else { return [] }
        // The bytes are those of a `T`, and the offsets of the fields apply to `T`. `count` includes the values that
        // were read before an error, so they are released.
        return try withUnsafeBytes(of: object) { bytes in
            try [AttributeValue](unsafeUninitializedCapacity: fields.count) { values, count in
                for index in fields.indices {
                    let value: AttributeValue
                    if fields[index].offset >= 0, let start = bytes.baseAddress {
                        value = fields[index].value(start)
                    } else {
                        value = try read(index, of: object)
                    }
                    values.initializeElement(at: index, to: value)
                    count = index + 1
                }
            }
        }
    }

    /// Returns the values of all attributes as a save of trees writes them: nil for those that a tree leaves out.
    func writtenValues(of object: T) throws -> [AttributeValue?] {
        var values: [AttributeValue?] = try values(of: object)
        for (index, isLeftOut) in partialAttributes where isLeftOut.map({ $0(object) }) ?? (values[index] == .null) {
            values[index] = nil
        }
        return values
    }

    /// Returns the value of one attribute as a save of trees writes it; nil if a tree leaves it out.
    func writtenValue(_ index: Int, of object: T) throws -> AttributeValue? {
        let value = try value(index, of: object)
        guard let partial = partialAttributes.first(where: { $0.index == index }) else { return value }
        return partial.isLeftOut.map { $0(object) } ?? (value == .null) ? nil : value
    }

    /// Returns the property of an attribute if values can be compared in place; nil if they must be read.
    func comparedField(_ index: Int) -> FieldRead? {
        fields[index].offset >= 0 && !partialAttributes.contains { $0.index == index } ? fields[index] : nil
    }

    /// Returns the value of one attribute, read from memory directly if the property has an offset.
    ///
    /// - Throws: ``AttributeError/badAttribute(_:)``. See ``read(_:of:)``.
    func value(_ index: Int, of object: T) throws -> AttributeValue {
        let field = fields[index]
        guard field.offset >= 0 else { return try read(index, of: object) }
        return withUnsafeBytes(of: object) { bytes in bytes.baseAddress.map { field.value($0) } ?? .null }
    }

    /// Returns the composite attribute, or composite element of one, that a key path refers to.
    func composite(at keyPath: AnyKeyPath) -> CompositeMapping? { part(at: keyPath)?.composite }

    /// Returns the indices of the elements of the composite attribute that a key path refers to; nil if it refers to
    /// another attribute.
    func elements(at keyPath: AnyKeyPath) -> [Int]? { part(at: keyPath)?.indices }

    /// Returns the index of the attribute that a key path refers to, or those of the elements of a composite attribute.
    ///
    /// - Throws: See ``index(of:)``.
    func indices(of keyPath: PartialKeyPath<T>) throws(StoreError) -> [Int] {
        if let elements = elements(at: keyPath) { return elements }
        return [try index(of: keyPath)]
    }

    private func part(at keyPath: AnyKeyPath) -> CompositePart<T>? {
        partByKeyPath.isEmpty ? nil : partByKeyPath[keyPath].map { parts[$0] }
    }

    /// Throws an error if the type has branches, which only a save of trees writes.
    ///
    /// - Parameter isList: Whether the call keeps a list current, which has no branches.
    func requireNoBranches(inList isList: Bool = false) throws(StoreError) {
        if !hasBranches { return }
        throw StoreError(
            .invalidRequest,
            isList
                ? "\(T.self) has branches, which a live list does not read. Use `values(of:)`, which keeps whole trees current."
                : "\(T.self) has branches, which this call would not write. Use `save`, which inserts and updates whole trees.",
            entity: entityName)
    }

    /// Creates an object whose attributes are written afterwards.
    func makeEmpty() -> T {
        var object = T()
        for part in parts { part.clear?(&object) }
        return object
    }

    /// Creates an object with the given values, which are in the order of ``attributes``.
    func object(from values: [AttributeValue]) throws -> T {
        var object = makeEmpty()
        for (index, value) in zip(writers.indices, values) { try write(value, at: index, into: &object) }
        return object
    }

    /// Returns the error for an attribute that could not be read (without a value) or written (with the value).
    func attributeError(at index: Int, value: AttributeValue?, cause error: any Error) -> AttributeError {
        attributeError(at: index, stored: value.map { excerpt($0) }, cause: error)
    }

    /// Returns the error for an attribute that could not be written, with a description of the stored value.
    func attributeError(at index: Int, stored value: String?, cause error: any Error) -> AttributeError {
        .badAttribute(
            .init(
                name: attributes[index].name, entity: entityName, expectedType: attributes[index].typeName,
                value: value, originalError: error))
    }
}

/// A composite attribute, or a composite element of one, as part of a type.
struct CompositePart<T>: Sendable {
    let composite: CompositeMapping
    /// The indices of its elements in the mapping.
    let indices: [Int]
    /// Removes the value of an optional composite.
    let clear: (@Sendable (inout T) -> Void)?
}
