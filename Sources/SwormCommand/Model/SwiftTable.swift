import OpenCoreData

/// The attributes of an entity in the form of a table.
struct SwiftTable {
    var attributes: [SwiftAttribute] = []
    /// The attributes that the entity declares, with their options.
    var own: Set<String> = []
    /// The key paths of the attributes, by their names in the model.
    var paths: [String: String] = [:]
    var hasComposites = false

    /// - Parameter above: The entity whose table declares inherited attributes.
    init(_ entity: NSEntityDescription, inherited above: NSEntityDescription?, in writer: SwiftModelWriter) {
        let unique = Set(entity.uniquenessNames.filter { $0.count == 1 }.compactMap(\.first))
        let flagged = Set(
            entity.indexes.filter { $0.elements.count == 1 }.compactMap { $0.elements.first?.propertyName })
        let names = SwiftNames.properties(of: entity)
        let inherited = Set(above?.attributesByName.keys.map { $0 } ?? [])
        for attribute in entity.properties.compactMap({ $0 as? NSAttributeDescription })
        where SwiftAttribute.obstacle(attribute) == nil {
            let isInherited = inherited.contains(attribute.name)
            let name = names[attribute.name] ?? SwiftNames.property(attribute.name)
            var swift: SwiftAttribute
            if let composite = attribute as? NSCompositeAttributeDescription {
                hasComposites = true
                let type = writer.type(of: composite, in: entity)
                swift =
                    isInherited
                    ? SwiftAttribute(composite, as: name, declaredAs: type.qualified)
                    : SwiftAttribute(composite, as: name, avoiding: type.avoided)
            } else {
                swift = SwiftAttribute(
                    attribute, as: name, isUnique: unique.contains(attribute.name),
                    isFlagged: flagged.contains(attribute.name))
            }
            if isInherited { swift.removeOptions(named: attribute.name) } else { own.insert(attribute.name) }
            attributes.append(swift)
            paths.merge(swift.paths) { first, _ in first }
        }
    }
}

extension SwiftModelWriter {
    /// Returns the name of the struct of a composite attribute, with the type that contains it, and the names that it avoids.
    func type(
        of composite: NSCompositeAttributeDescription, in entity: NSEntityDescription
    ) -> (qualified: String, avoided: Set<String>) {
        var owner = entity
        while let above = owner.superentity, above.attributesByName[composite.name] != nil { owner = above }
        var taken = types.all.union(owner.properties.map(\.name))
        for other in owner.properties.compactMap({ $0 as? NSCompositeAttributeDescription })
        where SwiftAttribute.obstacle(other) == nil {
            if other.name == composite.name { break }
            taken.insert(SwiftNames.type(composite: other.name, avoiding: taken))
        }
        let name = SwiftNames.type(composite: composite.name, avoiding: taken)
        return ("\(types.type(of: owner)).\(name)", taken)
    }
}
