import Foundation
import SwormPredicates
import SwormStore

/// The request of a controller in the form that its work needs.
struct FetchedResultsPlan {
    let specification: FetchSpecification
    let includesPendingChanges: Bool
    let isRefreshing: Bool
    let stores: [NSPersistentStore]?
    let reading: FetchReading
    /// The keys of the path to the name of an object's section.
    let sectionPath: [String]?
    /// Whether the first sort is by the section's path.
    let isSortedBySection: Bool
    let predicate: PreparedPredicate?
    let order: ObjectOrder
    /// The numbers of the entities whose objects can be results.
    let family: ClosedRange<Int>
    /// Whether the objects that an event names are all whose membership or order it can have changed.
    let isOwn: Bool
    /// The numbers of the entities whose changes can concern the results; nil for all.
    private let region: Set<Int>?

    /// - Throws: A ``CoreDataError`` if the request has no order, does not return objects, or is not valid.
    init<ResultType>(
        _ request: NSFetchRequest<ResultType>, sectionNameKeyPath: String?, in model: CompiledModel
    ) throws {
        specification = try request.specification(in: model)
        let name = model[specification.entity].name
        guard !specification.sorts.isEmpty else {
            throw CoreDataError(
                NSCoreDataError,
                "A fetched results controller for \(name) needs a request with an order. Set its sortDescriptors.",
                entity: name)
        }
        guard request.resultType == .managedObjectResultType else {
            throw CoreDataError(
                NSPersistentStoreUnsupportedRequestTypeError,
                "A fetched results controller for \(name) needs a request for managed objects. Set its resultType to managedObjectResultType.",
                entity: name)
        }
        includesPendingChanges = request.includesPendingChanges
        isRefreshing = request.shouldRefreshRefetchedObjects
        stores = request.affectedStores
        reading = try request.reading(specification, in: model)
        sectionPath = sectionNameKeyPath.map { $0.split(separator: ".").map(String.init) }
        isSortedBySection = sectionPath == specification.sorts.first?.path
        predicate = try specification.predicate.map { try PreparedPredicate($0) }
        order = ObjectOrder(specification.sorts)
        let all = model[specification.entity].family
        family = specification.includesSubentities ? all : all.lowerBound...all.lowerBound
        let isComputed = sectionPath != nil && !isSortedBySection
        isOwn =
            !specification.followsRelationships(in: model, and: []) && !isComputed && specification.limit == 0
            && specification.offset == 0 && includesPendingChanges && stores == nil
            && Self.startsAtObject(specification) && !Self.readsMembers(specification, in: model)
        region = isComputed ? nil : Self.region(of: specification, in: model)
    }

    private static func startsAtObject(_ specification: FetchSpecification) -> Bool {
        (specification.predicate?.keyPathUses ?? []).allSatisfy { $0.start == .evaluatedObject }
    }

    /// Whether a to-many relationship of the object is read. Its members can change without the object.
    private static func readsMembers(_ specification: FetchSpecification, in model: CompiledModel) -> Bool {
        let entity = model[specification.entity]
        return ((specification.predicate?.keyPaths ?? []) + specification.sorts.map(\.path)).joined().contains { key in
            guard case .relationship(let slot)? = entity.slot(named: key) else { return false }
            return entity.relationships[slot].isToMany
        }
    }

    /// Returns the entities at the steps of all key paths; nil if a path cannot be followed.
    private static func region(of specification: FetchSpecification, in model: CompiledModel) -> Set<Int>? {
        guard startsAtObject(specification) else { return nil }
        var region = Set(model[specification.entity].family)
        for path in (specification.predicate?.keyPaths ?? []) + specification.sorts.map(\.path) {
            var entity = model[specification.entity]
            steps: for key in path where !["self", "SELF", "objectID"].contains(key) && !key.hasPrefix("@") {
                switch entity.slot(named: key) {
                case .attribute: break
                case .relationship(let slot):
                    entity = model[entity.relationships[slot].destination]
                    region.formUnion(entity.family)
                // The elements of a composite attribute, or the key of a sub-entity.
                case nil:
                    if entity.composites[key] == nil { return nil }
                    break steps
                }
            }
        }
        return region
    }

    /// Whether a change of an object can concern the results.
    func concerns(_ entity: Int) -> Bool { region?.contains(entity) ?? true }

    // MARK: Sections

    /// Returns the section of an object.
    func section(of object: NSManagedObject) throws -> SectionKey? {
        guard let sectionPath else { return nil }
        if isSortedBySection, object.context != nil {
            return SectionKey(Self.name(of: try object.sortValue(sectionPath).cocoaValue))
        }
        return SectionKey(Self.name(of: object.value(forKeyPath: sectionPath)))
    }

    private static func name(of value: Any?) -> String {
        switch value {
        case nil: ""
        case let text as String: text
        case let object as NSManagedObject: object.objectID.description
        // "1" for true, as on Apple's platforms.
        case let number as NSNumber: number.stringValue
        case let value?: "\(value)"
        }
    }
}

extension NSManagedObject {
    fileprivate final func value(forKeyPath path: [String]) -> Any? { value(forKeyPath: path.joined(separator: ".")) }
}
