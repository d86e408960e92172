// Generated from Zoo.xcdatamodel.

import Foundation
import Sworm

/// An entity that is abstract: it can be fetched, but not inserted.
class Animal: NSManagedObject {
    @Managed("name") var name: String
    @Managed("born") var born: Date?
    @Managed("legs") var legs: Int16
    @Managed("weight") var weight: Double?
    struct Address: CompositeConvertible {
        var house = "Main"
        var cage: Int32?

        static let attributes: Set<Attribute<Address>> = [
            .init(\.house, "house"),
            .init(\.cage, "cage"),
        ]
    }
    @Managed("address") var address: Address?
    // transformed by MoodTransformer: a Mood
    @Managed(keyed: "mood") var mood: Any?
    // transient: it is not stored
    @Managed("nickname") var nickname: String?
    @Managed("keeper") var keeper: Keeper?

    class func fetchRequest() -> NSFetchRequest<Animal> { NSFetchRequest(entityName: "Animal") }
}

final class Cat: Animal {
    @Managed("lives") var lives: Int64
    @Managed("prey") var prey: Set<Mouse>

    class func fetchRequest() -> NSFetchRequest<Cat> { NSFetchRequest(entityName: "Cat") }
}

#if canImport(ObjectiveC)
@objc(Mouse)
#endif
final class Mouse: Animal {
    @Managed("hunter") var hunter: Cat?

    class func fetchRequest() -> NSFetchRequest<Mouse> { NSFetchRequest(entityName: "Mouse") }
}

/// An entity that was renamed from Guard.
final class Keeper: NSManagedObject {
    @Managed("id") var id: UUID
    // derived by the store: animals.@count
    @Managed("animalCount") private(set) var animalCount: Int32?
    @Managed("animals") var animals: Set<Animal>
    @Managed("rounds") var rounds: [NSManagedObject]
    // `kittens` is a fetched property, which `Managed` does not have.

    class func fetchRequest() -> NSFetchRequest<Keeper> { NSFetchRequest(entityName: "Keeper") }
}

// The entity `Round` has no class in the model: its objects are plain managed objects.
