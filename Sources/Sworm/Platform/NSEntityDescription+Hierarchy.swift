#if canImport(CoreData)
import CoreData
#else
import OpenCoreData
#endif

extension NSEntityDescription {
    /// The entity and all entities that inherit from it.
    var family: [NSEntityDescription] { [self] + subentities.flatMap(\.family) }

    /// The entity at the top of the hierarchy.
    var root: NSEntityDescription {
        var entity = self
        while let superentity = entity.superentity { entity = superentity }
        return entity
    }

    /// The name, which every entity of a compiled model has.
    var stableName: String { name ?? "" }
}
