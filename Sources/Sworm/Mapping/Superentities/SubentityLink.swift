import SwormPredicates

/// A case of a super-entity whose struct is not statically known.
protocol SubentityLink<Superentity>: Sendable {
    associatedtype Superentity: ManagedTreeConvertible
    associatedtype Object: ManagedObjectConvertible

    var embed: @Sendable (Object) -> Superentity { get }
    var initialize: @Sendable (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Void { get }
    var assign: @Sendable (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Void { get }
    var extract: @Sendable (UnsafeRawPointer, UnsafeMutableRawPointer) -> Bool { get }

    /// Returns the struct that a value of the enum holds; nil if the value is another case.
    func object(of value: Superentity) -> Object?
}

extension Subentity: SubentityLink {
    func object(of value: Superentity) -> Object? { value.subentity as? Object }
}

extension SubentityLink {
    /// The mapping of the struct.
    var mapping: EntityMapping<Object> { Object.mapping }

    var type: any ManagedObjectConvertible.Type { Object.self }

    /// Returns the values of the struct in a value of the enum, with the name of its entity; nil for another case.
    func values(of value: Superentity) throws -> (entity: String, values: [AttributeValue])? {
        guard let object = object(of: value) else { return nil }
        return try mapping.caseValues(of: object)
    }

    /// Returns a value of the case in which one attribute has a value, if the entity is the case's.
    func instance(ofEntity name: String, setting value: AttributeValue, attribute: String) -> Superentity? {
        mapping.instance(ofEntity: name, setting: value, attribute: attribute).map(embed)
    }

    /// Returns a new instance for each of the structs of the case.
    func freshInstances(inside types: [ObjectIdentifier]) -> [Superentity] {
        EntityMapping<Object>.freshInstances(inside: types).map(embed)
    }
}

extension SuperentityConvertible {
    /// The cases, in the order of their declaration.
    fileprivate static var links: [any SubentityLink<Self>] {
        Mirror(reflecting: subentities).children.compactMap { $0.value as? any SubentityLink<Self> }
    }

    fileprivate static var anyLinks: Any { links }
}

extension ManagedTreeConvertible {
    /// The cases of an enum of structs; empty for any other type.
    static var subentityLinks: [any SubentityLink<Self>] {
        (Self.self as? any SuperentityConvertible.Type)?.anyLinks as? [any SubentityLink<Self>] ?? []
    }

    /// The type of the super-entity, if the type has one.
    static var superentityType: (any SuperentityConvertible.Type)? {
        Entity.Superentity.self as? any SuperentityConvertible.Type
    }
}

extension EntityMapping {
    /// Returns the case that holds the struct of a value.
    ///
    /// - Throws: A ``StoreError`` if the enum's table of cases does not have it.
    func link(of value: T) throws -> any SubentityLink<T> {
        for link in cases where link.holds(value) { return link }
        throw missingCase(of: value)
    }

    /// Returns the error for a value whose case is not in the table.
    func missingCase(of value: T) -> StoreError {
        let held = (value as? any SuperentityConvertible).map { "\(type(of: $0.subentity))" } ?? "\(T.self)"
        return StoreError(
            .invalidTable,
            "\(entityName): the table of sub-entities has no case for \(held). Add a `Subentity` for it to `subentities`.",
            entity: entityName)
    }

    /// Returns the values of a value, in the order of the attributes of the struct that it holds, with the struct's entity.
    func caseValues(of value: T) throws -> (entity: String, values: [AttributeValue]) {
        guard !cases.isEmpty else { return (entityName, try values(of: value)) }
        for link in cases {
            if let found = try link.values(of: value) { return found }
        }
        throw missingCase(of: value)
    }

    /// Returns an instance of an entity in which one attribute has a value; nil if the type does not represent the entity,
    /// or cannot hold the value.
    func instance(ofEntity name: String, setting value: AttributeValue, attribute: String) -> T? {
        guard cases.isEmpty else {
            for link in cases {
                if let found = link.instance(ofEntity: name, setting: value, attribute: attribute) { return found }
            }
            return nil
        }
        guard name == entityName, let index = index(named: attribute) else { return nil }
        var object = T()
        return (try? write(value, at: index, into: &object)) == nil ? nil : object
    }

    /// Returns a new instance, or one of each struct that the cases hold.
    ///
    /// - Parameter types: The enclosing enums. An enum that contains itself, which is an issue of its table, ends there.
    static func freshInstances(inside types: [ObjectIdentifier] = []) -> [T] {
        let links = T.subentityLinks
        guard !links.isEmpty, !types.contains(ObjectIdentifier(T.self)) else { return [T()] }
        return links.flatMap { $0.freshInstances(inside: types + [ObjectIdentifier(T.self)]) }
    }
}

extension AnyEntityMapping {
    /// The paths of all attributes that decoding a value reads, also of those that only a case has.
    var decodedPaths: [[String]] { decodedPaths(depth: 0) }

    private func decodedPaths(depth: Int) -> [[String]] {
        var paths = attributes.map { [$0.name] }
        guard depth < superentityDepthLimit else { return paths }
        for type in subentities {
            let mapping = type.anyMapping
            if mapping.isOwnCase { continue }
            let own = Set(mapping.ownAttributes.map(\.name))
            for path in mapping.decodedPaths(depth: depth + 1) where path.count > 1 || own.contains(path[0]) {
                paths.append([mapping.castKey] + path)
            }
        }
        return paths
    }
}

extension SubentityLink {
    /// Returns whether a value of the enum is the case.
    func holds(_ value: Superentity) -> Bool { object(of: value) != nil }
}

/// The number of super-entities above which a type must be its own super-entity.
let superentityDepthLimit = 32

extension AnyEntityMapping {
    /// The mappings of the super-entities, the nearest first.
    var superentities: [any AnyEntityMapping] {
        var above: [any AnyEntityMapping] = []
        var next = superentity
        while let mapping = next, above.count < superentityDepthLimit {
            above.append(mapping)
            next = mapping.superentity
        }
        return above
    }

    /// The step of a key path that continues with objects of the type.
    var castKey: String { EntityCast(to: entityName, isExact: isOwnCase).key }

    /// Whether the type represents the objects of the super-entity itself, which has the same entity name.
    var isOwnCase: Bool { superentity?.entityName == entityName }
}

extension EntityMapping {
    var superentity: (any AnyEntityMapping)? { T.superentityType?.anyMapping }
    var subentities: [any ManagedObjectConvertible.Type] { cases.map(\.type) }
    var isSuperentity: Bool { T.self is any SuperentityConvertible.Type }
    var namesWithOptions: [String] { T.attributes.filter { !$0.options.isEmpty }.map(\.name).sorted() }
}
