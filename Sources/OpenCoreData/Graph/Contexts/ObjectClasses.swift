import SwormStore

/// The classes of a context's objects.
struct ObjectClasses {
    /// Whether all objects are plain managed objects.
    var arePlain = false
    /// The classes that were looked up, by entity number.
    private var types: [NSManagedObject.Type?] = []
    /// The entities of the classes that were looked up.
    private var entities: [ObjectIdentifier: NSEntityDescription] = [:]

    /// Returns the class of the objects of an entity; nil if it was not looked up.
    func type(ofEntity number: Int) -> NSManagedObject.Type? {
        if arePlain { return NSManagedObject.self }
        return types.indices.contains(number - 1) ? types[number - 1] : nil
    }

    mutating func note(_ type: NSManagedObject.Type, ofEntity number: Int) {
        while types.count < number { types.append(nil) }
        types[number - 1] = type
    }

    /// Returns the entity whose class is the given one; nil if it was not looked up.
    func entity(of type: NSManagedObject.Type) -> NSEntityDescription? { entities[ObjectIdentifier(type)] }

    mutating func note(_ entity: NSEntityDescription, of type: NSManagedObject.Type) {
        entities[ObjectIdentifier(type)] = entity
    }

    /// Forgets the classes of a model that the context no longer uses.
    mutating func forget() {
        types = []
        entities = [:]
    }
}
