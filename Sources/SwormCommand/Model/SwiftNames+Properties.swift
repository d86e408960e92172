import OpenCoreData

// The names of properties, which are different within a type.
extension SwiftNames {
    /// Returns the names of an entity's properties by their names in the model. An inherited property has the same name
    /// as in the super-entity.
    static func properties(of entity: NSEntityDescription) -> [String: String] {
        properties(
            named: entity.properties.map(\.name), inherited: entity.superentity.map { properties(of: $0) } ?? [:])
    }

    /// Returns the names of the elements of a composite attribute by their names in the model.
    static func elements(of composite: NSCompositeAttributeDescription) -> [String: String] {
        properties(named: composite.elements.map(\.name), inherited: [:])
    }

    /// Returns a different name for each property of a type.
    ///
    /// - Parameter inherited: Names that remain as they are.
    private static func properties(named names: [String], inherited: [String: String]) -> [String: String] {
        var result = inherited
        var taken = Set(inherited.values)
        let own = names.filter { inherited[$0] == nil }.sorted()
        // A name that remains as it is precedes one that needs another form.
        for name in own.filter({ !isReplaced($0) }) + own.filter(isReplaced) {
            var text = property(name)
            while !taken.insert(text).inserted { text += "_" }
            result[name] = text
        }
        return result
    }

    /// Returns whether a property cannot have its name, not even in backticks.
    private static func isReplaced(_ name: String) -> Bool { property(name).filter { $0 != "`" } != name }

    /// Returns the names of the structs of composite attributes in one type, by the names of the attributes.
    ///
    /// - Parameter taken: Names that the structs must not have.
    static func structs(
        of composites: [NSCompositeAttributeDescription], avoiding taken: Set<String>
    ) -> [String: String] {
        var result: [String: String] = [:]
        var taken = taken
        for composite in composites {
            let name = type(composite: composite.name, avoiding: taken)
            result[composite.name] = name
            taken.insert(name)
        }
        return result
    }
}
