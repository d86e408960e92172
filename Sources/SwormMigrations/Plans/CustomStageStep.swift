import Sworm

/// An old entity whose objects become objects of a new entity.
struct CustomStageStep {
    let source: NSEntityDescription
    let destination: NSEntityDescription
    /// The change with closures; nil if everything is carried over automatically.
    let change: EntityChange?
    /// The old property that each property of the new entity matches.
    let properties: FormerNames

    init(from source: NSEntityDescription, to destination: NSEntityDescription, change: EntityChange?) {
        self.source = source
        self.destination = destination
        self.change = change
        let (before, after) = (source.propertiesByName, destination.propertiesByName)
        properties = FormerNames(from: Self.items(before), to: Self.items(after)) { name in
            switch (before[name], after[name]) {
            case (let former as NSAttributeDescription, let attribute as NSAttributeDescription):
                attribute.takes(former)
            case (is NSRelationshipDescription, is NSRelationshipDescription): true
            default: false
            }
        }
    }

    var sourceName: String { source.name ?? "" }
    var destinationName: String { destination.name ?? "" }
    /// The name of the entity mapping.
    var name: String { Self.name(from: sourceName, to: destinationName) }

    static func name(from source: String, to destination: String) -> String { "\(source) to \(destination)" }

    /// The matching properties, sorted by the new names.
    var matches: [(new: NSPropertyDescription, old: NSPropertyDescription)] {
        properties.sources.sorted { $0.key < $1.key }.compactMap { name, former in
            guard let property = destination.propertiesByName[name], let old = source.propertiesByName[former] else {
                return nil
            }
            return (property, old)
        }
    }

    /// The relationships that are carried over, unless the change excludes them.
    var relationships: [(new: NSRelationshipDescription, old: NSRelationshipDescription)] {
        guard change?.carriesRelations ?? true else { return [] }
        return matches.compactMap { match in
            guard let new = match.new as? NSRelationshipDescription, let old = match.old as? NSRelationshipDescription
            else { return nil }
            return (new, old)
        }
    }

    /// Returns the properties that are stored.
    private static func items(_ properties: [String: NSPropertyDescription]) -> [FormerNames.Item] {
        properties.values.filter {
            !$0.isTransient && ($0 is NSAttributeDescription || $0 is NSRelationshipDescription)
        }
        .map { FormerNames.Item(name: $0.name, identifier: $0.renamingIdentifier) }
    }
}

// MARK: Attributes

extension CustomStageStep {
    /// Returns the mappings of the attributes that are carried over, and the issues that require a closure.
    func attributes() -> (mappings: [NSPropertyMapping], issues: [String]) {
        var mappings: [NSPropertyMapping] = []
        var issues = properties.clashes.map {
            $0.text("properties", of: destinationName, open: $0.new)
        }
        for (new, old) in matches {
            let path = "'\(destinationName).\(new.name)'"
            let way = "Add a change from '\(sourceName)' to '\(destinationName)' that"
            switch (old, new) {
            case (_, is NSDerivedAttributeDescription), (is NSRelationshipDescription, is NSRelationshipDescription):
                break
            case (let former as NSAttributeDescription, let attribute as NSAttributeDescription):
                if attribute.takes(former) {
                    mappings.append(.attribute(attribute.name, from: former.name))
                } else {
                    issues.append(
                        "\(path) has another type than before, and no change converts its values. \(way) sets it."
                    )
                }
            case (is NSAttributeDescription, _):
                issues.append(
                    "Relationship \(path) was an attribute before, and no change converts its values. \(way) creates "
                        + "objects for them, or give the relationship another name, which deletes the values.")
            default:
                issues.append(
                    "Attribute \(path) was a relationship before, and no change converts its links. \(way) creates "
                        + "values for them, or give the attribute another name, which deletes the links.")
            }
        }
        return (mappings, issues)
    }
}

extension NSAttributeDescription {
    /// Whether every value of another attribute is also a valid value of this one.
    fileprivate func takes(_ former: NSAttributeDescription) -> Bool {
        let wider: [NSAttributeType: [NSAttributeType]] = [
            .integer16AttributeType: [.integer32AttributeType, .integer64AttributeType],
            .integer32AttributeType: [.integer64AttributeType],
            .floatAttributeType: [.doubleAttributeType],
        ]
        if attributeType != former.attributeType {
            return wider[former.attributeType]?.contains(attributeType) ?? false
        }
        guard let composite = self as? NSCompositeAttributeDescription else { return true }
        return composite.versionHash == former.versionHash
    }
}
