public import Foundation

// Properties that are relationships.
extension Managed {
    /// Declares a relationship to one object.
    ///
    /// - Parameter name: The name of the relationship in the model.
    public init<Destination: NSManagedObject>(_ name: String) where Value == Destination? {
        self.init(name, fallback: nil, access: ToOneAccess<Destination>.self)
    }

    /// Declares a relationship to many objects.
    ///
    /// A set is rejected while the relationship has a member of another class, which the property does not show.
    ///
    /// - Parameter name: The name of the relationship in the model.
    public init<Destination: NSManagedObject>(_ name: String) where Value == Set<Destination> {
        self.init(name, fallback: [], access: ToManyAccess<Destination>.self)
    }

    /// Declares an ordered relationship to many objects.
    ///
    /// An array is rejected while the relationship has a member of another class, which the property does not show.
    ///
    /// - Parameter name: The name of the relationship in the model.
    public init<Destination: NSManagedObject>(_ name: String) where Value == [Destination] {
        self.init(name, fallback: [], access: OrderedAccess<Destination>.self)
    }

    /// Declares an ordered relationship to many objects.
    ///
    /// - Parameter name: The name of the relationship in the model.
    public init(_ name: String) where Value == NSOrderedSet {
        self.init(name, fallback: .none, access: OrderedSetAccess.self)
    }
}

extension NSOrderedSet {
    /// A set without members, which all properties share.
    // nonisolated(unsafe): the set never changes.
    nonisolated(unsafe) fileprivate static let none = NSOrderedSet()
}
