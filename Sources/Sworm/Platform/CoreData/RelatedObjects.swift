#if canImport(CoreData)
import CoreData
import Foundation

/// The value of a relationship to many, as Core Data returns it. It is not copied.
enum RelatedObjects {
    case ordered(NSOrderedSet)
    case set(NSSet)
    /// Used where Foundation does not bridge sets.
    case swiftSet(Set<NSManagedObject>)

    init(_ value: Any?) {
        switch value {
        case let ordered as NSOrderedSet: self = .ordered(ordered)
        case let set as NSSet: self = .set(set)
        case let set as Set<NSManagedObject>: self = .swiftSet(set)
        default: self = .swiftSet([])
        }
    }

    var count: Int {
        switch self {
        case .ordered(let objects): objects.count
        case .set(let objects): objects.count
        case .swiftSet(let objects): objects.count
        }
    }

    /// The objects, in their order if the relationship is ordered.
    var objects: [NSManagedObject] {
        switch self {
        case .ordered(let objects): objects.array.compactMap { $0 as? NSManagedObject }
        case .set(let objects): objects.allObjects.compactMap { $0 as? NSManagedObject }
        case .swiftSet(let objects): Array(objects)
        }
    }

    func contains(_ object: NSManagedObject) -> Bool {
        switch self {
        case .ordered(let objects): objects.contains(object)
        case .set(let objects): objects.contains(object)
        case .swiftSet(let objects): objects.contains(object)
        }
    }

    /// Returns the object at an index of an ordered relationship; nil beyond the last one.
    func object(at index: Int) -> NSManagedObject? {
        guard index >= 0, index < count else { return nil }
        if case .ordered(let objects) = self { return objects.object(at: index) as? NSManagedObject }
        return objects[index]
    }

    /// Returns the index of an object in an ordered relationship; nil if it is not a member.
    func index(of object: NSManagedObject) -> Int? {
        guard case .ordered(let objects) = self else { return objects.firstIndex { $0 === object } }
        let index = objects.index(of: object)
        return index == NSNotFound ? nil : index
    }
}
#endif
