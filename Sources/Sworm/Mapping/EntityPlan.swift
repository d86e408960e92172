package import SwormPredicates

/// What the tables of a type come to: built once, then only read.
package final class EntityPlan<T: ManagedObjectConvertible>: AnyEntityPlan {
    package let entityName: String
    /// The entity's name in the version of the model before; nil where it is the same.
    package let formerEntityName: String?
    /// The type with the names of the types and the module that it is in, for messages.
    package var typeName: String { String(reflecting: T.self) }
    /// In the order of their names.
    package let attributes: [AttributePlan]
    /// In the order in which they are declared.
    package let relations: [RelationPlan]
    /// The names of attributes that must be unique together.
    package let uniquenessConstraints: [[String]]
    package let indexes: [IndexPlan]
    /// The faults of these tables alone; see ``tableFaults(of:)`` for those between tables.
    package let faults: [TableFault]
    /// Whether an instance of the type is a class's. Such an instance must be made for every row.
    package let isClass: Bool
    /// Whether rows may be made as copies of one fresh instance: the attributes cover all of its memory, or the rest
    /// is the same in every fresh instance. Otherwise `init()` must be called for every row.
    package let sharesTemplate: Bool

    private let readers: [@Sendable (T) throws -> AttributeValue]
    private let writers: [@Sendable (inout T, AttributeValue) throws -> Void]
    private let fields: [FieldRead]
    private let places: FieldPlaces
    /// The attributes as conditions read them: made once, as every condition would make them anew.
    private let expressions: [ExpressionTree]
    private let indexByName: [String: Int]
    // Unsafe: key paths are not marked as sendable in general. These are (a table takes no others), and the
    // dictionary never changes.
    private nonisolated(unsafe) let indexByKeyPath: [AnyKeyPath: Int]

    init() {
        let name = T.entityName
        let table = T.attributes.sorted { ($0.name, "\($0.keyPath)") < ($1.name, "\($1.keyPath)") }
        var faults: [TableFault] = []
        let samples = FreshInstances<T>()

        entityName = name
        formerEntityName = T.formerEntityName
        relations = Mirror(reflecting: T.relations).children.compactMap { child in
            (child.value as? any Relation).map { RelationPlan(label: child.label ?? "", relation: $0) }
        }
        let attributes = table.map { line in
            AttributePlan(
                name: line.name, kind: line.kind, isOptional: line.isOptional, isPrimitive: line.isPrimitive,
                offset: line.offset, typeName: line.typeName,
                traits: AttributeTraits(kind: line.kind, isOptional: line.isOptional, options: line.options) {
                    faults.append(TableFault($0, entity: name, member: line.name, $1))
                },
                defaultValue: samples.commonValue(of: line))
        }
        let places = Dictionary(
            table.indices.map { (table[$0].keyPath as AnyKeyPath, $0) }, uniquingKeysWith: { first, _ in first })
        self.attributes = attributes
        expressions = attributes.map { .key(.evaluatedObject, $0.name) }
        readers = table.map(\.read)
        writers = table.map(\.write)
        indexByName = Dictionary(
            attributes.indices.map { (attributes[$0].name, $0) }, uniquingKeysWith: { first, _ in first })
        indexByKeyPath = places
        let isClass = T.self is AnyObject.Type
        self.isClass = isClass
        fields = attributes.map { FieldRead($0, isClass: isClass) }
        self.places = FieldPlaces(table)
        sharesTemplate = samples.shareTemplate(table)

        let columns = ColumnNames<T>(entity: name, indexByKeyPath: places, attributes: attributes)
        uniquenessConstraints = columns.constraints(T.uniquenessConstraints, faults: &faults)
        indexes = columns.indexes(T.fetchIndexes, faults: &faults)
        self.faults = tableFaults(entity: name, table: table, relations: relations) + faults
    }

    /// The place of the attribute with a name.
    package func index(named name: String) -> Int? {
        indexByName[name]
    }

    /// The place of the attribute that a key path leads to.
    ///
    /// - Throws: A ``StoreError`` with the code `unknownKeyPath` when the table has no such line.
    package func index(of keyPath: PartialKeyPath<T>) throws(StoreError) -> Int {
        if let index = places.index(of: keyPath) ?? indexByKeyPath[keyPath] { return index }
        throw unknownKeyPath(keyPath, entity: entityName, attributes: attributes)
    }

    /// The attribute that a key path leads to, of the row that a condition is about.
    ///
    /// - Throws: As ``index(of:)``.
    func expression(of keyPath: PartialKeyPath<T>) throws(StoreError) -> ExpressionTree {
        expressions[try index(of: keyPath)]
    }

    /// The attribute that a key path leads to.
    package func attribute(_ keyPath: PartialKeyPath<T>) throws(StoreError) -> AttributePlan {
        attributes[try index(of: keyPath)]
    }

    /// Reads an attribute of an object.
    ///
    /// - Throws: ``AttributeError/badAttribute(_:)``.
    package func read(_ index: Int, of object: T) throws -> AttributeValue {
        do {
            return try readers[index](object)
        } catch {
            throw attributeError(index, value: nil, error)
        }
    }

    /// Writes an attribute of an object.
    ///
    /// - Throws: ``AttributeError/badAttribute(_:)``.
    package func write(_ value: AttributeValue, at index: Int, into object: inout T) throws {
        do {
            try writers[index](&object, value)
        } catch {
            throw attributeError(index, value: value, error)
        }
    }

    /// The values of all attributes, in the order of ``attributes``.
    package func values(of object: T) throws -> [AttributeValue] {
        // Without any, the initializer would write a count into the storage that all empty arrays of the process share.
        guard !fields.isEmpty else { return [] }
        // The bytes are those of a T, whose offsets the fields have. Values that were read before an error are given back, as
        // `count` counts them.
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

    /// The value of one attribute, from where it lies in memory if it has a place there.
    ///
    /// - Throws: As ``read(_:of:)``.
    package func value(_ index: Int, of object: T) throws -> AttributeValue {
        let field = fields[index]
        guard field.offset >= 0 else { return try read(index, of: object) }
        return withUnsafeBytes(of: object) { bytes in bytes.baseAddress.map { field.value($0) } ?? .null }
    }

    /// A fresh object with these values, which are in the order of ``attributes``.
    package func object(from values: [AttributeValue]) throws -> T {
        var object = T()
        for (index, value) in zip(writers.indices, values) { try write(value, at: index, into: &object) }
        return object
    }

    /// The error of an attribute that could not be read (no value) or written (the value).
    package func attributeError(_ index: Int, value: AttributeValue?, _ error: any Error) -> AttributeError {
        attributeError(index, stored: value.map { excerpt($0) }, error)
    }

    /// The error of an attribute that could not be written, with words for what the store holds.
    package func attributeError(_ index: Int, stored value: String?, _ error: any Error) -> AttributeError {
        .badAttribute(
            .init(
                name: attributes[index].name, entity: entityName, expectedType: attributes[index].typeName,
                value: value, originalError: error))
    }
}

/// A plan whose type is not known at the place of use.
package protocol AnyEntityPlan: AnyObject, Sendable {
    var entityName: String { get }
    var formerEntityName: String? { get }
    var typeName: String { get }
    var attributes: [AttributePlan] { get }
    var relations: [RelationPlan] { get }
    var uniquenessConstraints: [[String]] { get }
    var indexes: [IndexPlan] { get }
    var faults: [TableFault] { get }
}

private func unknownKeyPath(_ keyPath: AnyKeyPath, entity: String, attributes: [AttributePlan]) -> StoreError {
    let path = keyPathName(keyPath)
    let names = attributes.map(\.name)
    let hint =
        if let nearest = path.components.last.flatMap({ nearestName(to: $0, in: names) }) {
            "The nearest attribute is \"\(nearest)\"."
        } else if names.isEmpty {
            "The table is empty."
        } else {
            "The attributes are \(names.prefix(12).map { "\"\($0)\"" }.joined(separator: ", "))."
        }
    let message =
        "\(entity): \(path.text) is not in the table of attributes. Add it to `attributes`, or use one that is there. \(hint)"
    return StoreError(
        .unknownKeyPath, message, entity: entity, attribute: path.components.joined(separator: "."))
}

/// A key path as it is written in source, as far as the run time knows its names.
package func keyPathName(_ keyPath: AnyKeyPath) -> (text: String, components: [String]) {
    let text = String(reflecting: keyPath)
    guard text.hasPrefix("\\") else { return (text, []) }
    let parts = text.dropFirst().split(separator: ".", omittingEmptySubsequences: true).map(String.init)
    // Anonymous components are printed with angle brackets, the root may be a nested type's full name.
    let names = parts.drop { !($0.first?.isLowercase ?? false) }.filter { !$0.contains("<") && !$0.contains("(") }
    return (text, Array(names))
}
