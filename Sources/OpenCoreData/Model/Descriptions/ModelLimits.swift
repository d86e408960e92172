/// The limits beyond which a model is rejected, so that a malicious model cannot exhaust memory or the stack.
enum ModelLimits {
    /// The maximum number of entities from a root down to a leaf.
    static let inheritanceDepth = 256
    /// The maximum nesting depth of composite attributes.
    static let compositeDepth = 8
    /// The maximum number of properties over all entities, counted again in every entity that inherits them.
    static let totalProperties = 250_000
    /// The maximum size of a model file in bytes.
    static let fileSize = 16 << 20
    /// The maximum depth of elements in a model file.
    static let elementDepth = 64

    /// Returns the limit that the inheritance of some entities exceeds, or nil. Cycles are reported elsewhere.
    static func issue(of entities: [NSEntityDescription]) -> (message: String, entity: String?)? {
        var known: [ObjectIdentifier: (depth: Int, properties: Int)] = [:]
        var total = 0
        for entity in entities {
            var line: [NSEntityDescription] = []
            var seen: Set<ObjectIdentifier> = []
            var current: NSEntityDescription? = entity
            while let here = current, known[ObjectIdentifier(here)] == nil, seen.insert(ObjectIdentifier(here)).inserted
            {
                line.append(here)
                current = here.superentity
            }
            var above = current.flatMap { known[ObjectIdentifier($0)] } ?? (0, 0)
            for here in line.reversed() {
                above = (above.depth + 1, above.properties + slots(of: here))
                known[ObjectIdentifier(here)] = above
            }
            if above.depth > inheritanceDepth {
                return (
                    "Entity '\(entity.name ?? "")' is more than \(inheritanceDepth) levels deep in the inheritance hierarchy. "
                        + "Flatten the hierarchy.", entity.name
                )
            }
            total += known[ObjectIdentifier(entity)]?.properties ?? 0
            if total > totalProperties {
                return (
                    "The model has more than \(totalProperties) properties, counting inherited properties in every entity. "
                        + "Split it.", nil
                )
            }
        }
        return nil
    }

    /// Returns the number of an entity's own properties, counting the elements of composites one by one.
    private static func slots(of entity: NSEntityDescription) -> Int {
        var count = 0
        var pending = entity.ownProperties
        while let property = pending.popLast(), count <= totalProperties {
            count += 1
            // A composite that contains itself has no finite number of elements; the compiler reports it.
            if let composite = property as? NSCompositeAttributeDescription, composite.nestingDepth <= compositeDepth {
                pending += composite.elements
            }
        }
        return count
    }
}
