public import Foundation
import SwormStore

/// A model: the entities of an object graph, their properties and their relationships.
///
/// A model is read from a file or built in code. It may be changed at any time on the thread that owns it. Opening a
/// store freezes the current state of the model; later changes have no effect on that store.
open class NSManagedObjectModel: NSObject, NSCopying {
    private var storedEntities: [NSEntityDescription] = []
    var configurationMembers: [String: [NSEntityDescription]] = [:]

    /// The lock that guards `compilation`, which contexts on several threads may access.
    private let lock = NSLock()
    private var compilation: Compilation?

    /// The version hashes of the only store that the model is valid for, because it was inferred from that store's
    /// tables.
    package var storeHashes: [String: Data]? { didSet { changed() } }

    /// The settings of the request templates by name.
    package var requestTemplates: [String: RequestTemplate] = [:]

    /// The words of the application for the names of entities and properties, with keys such as `Entity/Book` and
    /// `Property/title/Entity/Book`; nil for none. Messages do not use them.
    open var localizationDictionary: [String: String]?

    /// Notes about the file that the model was read from, for its author.
    package var readingNotes: [String] = []

    /// Creates a model without entities.
    public override init() { super.init() }

    /// The model's entities. An entity must not be part of two models; use a copy for the second model.
    open var entities: [NSEntityDescription] {
        get { storedEntities }
        set {
            for entity in storedEntities where entity.owningModel === self { entity.owningModel = nil }
            storedEntities = newValue
            for entity in newValue { entity.owningModel = self }
            let members = Set(newValue.map(ObjectIdentifier.init))
            configurationMembers = configurationMembers.mapValues { entities in
                entities.filter { members.contains(ObjectIdentifier($0)) }
            }
            changed()
        }
    }

    /// The model's entities by name.
    open var entitiesByName: [String: NSEntityDescription] {
        Dictionary(storedEntities.map { ($0.name ?? "", $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The names that the developer assigned to this version of the model. They are not part of the version hashes.
    open var versionIdentifiers: Set<AnyHashable> = [] { didSet { changed() } }

    /// Returns a copy of the model with copies of all its entities.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSManagedObjectModel()
        let copies = EntityCopier(copying: storedEntities).roots
        copy.entities = copies
        copy.versionIdentifiers = versionIdentifiers
        copy.storeHashes = storeHashes
        copy.requestTemplates = requestTemplates
        copy.localizationDictionary = localizationDictionary
        let places = Dictionary(
            zip(storedEntities.map(ObjectIdentifier.init), copies), uniquingKeysWith: { first, _ in first })
        copy.configurationMembers = configurationMembers.mapValues { members in
            members.compactMap { places[ObjectIdentifier($0)] }
        }
        return copy
    }

    /// Invalidates the results that were computed from the model.
    final func changed() { lock.withLock { compilation = nil } }

    /// Returns the frozen model, which is created once, and again after a change.
    final func compilation(_ make: () throws -> Compilation) rethrows -> Compilation {
        try lock.withLock {
            if let compilation { return compilation }
            let result = try make()
            compilation = result
            return result
        }
    }

    /// A frozen model and the descriptions that it was created from.
    package struct Compilation {
        let model: CompiledModel
        /// The entities by number; the entity with number `n` is at index `n - 1`.
        package let entities: [NSEntityDescription]
    }

    /// The names of the model's entities, for messages and logs.
    open override var description: String {
        "NSManagedObjectModel \(storedEntities.map { $0.name ?? "?" }.sorted())"
    }
}
