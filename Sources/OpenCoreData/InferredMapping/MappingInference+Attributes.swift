import SwormPredicates
import SwormStore

extension MappingInference {
    /// Matches the properties of an entity with those of the old entity. Inherited properties are included, so that a
    /// property may move within a hierarchy.
    mutating func matchProperties(of number: Int) {
        guard let pair = pairs[number] else { return }
        let before = Self.kept(old.descriptions[pair.source - 1].properties)
        let after = Self.kept(new.descriptions[pair.destination - 1].properties)
        let matcher = RenamingMatcher(from: before.map(Self.item), to: after.map(Self.item)) {
            Self.fits(before[$1], into: after[$0])
        }
        for clash in matcher.clashes {
            let paths = clash.destinations.map { Self.path(of: after[$0]) }
            refuse(
                Self.text(of: clash, "properties", old: clash.sources.map { Self.path(of: before[$0]) }, new: paths),
                entity: new.model[number].name, key: clash.destinations.first.map { after[$0].name })
        }
        for (property, source) in zip(after, matcher.sources) {
            guard let source else { continue }
            match(property, to: before[source], in: number)
        }
    }

    private mutating func match(_ property: NSPropertyDescription, to former: NSPropertyDescription, in number: Int) {
        let path = Self.path(of: property)
        let entity = property.declaringEntity?.name ?? new.model[number].name
        switch (former, property) {
        case (let former as NSAttributeDescription, let attribute as NSAttributeDescription):
            match(attribute, to: former, named: (former.name, attribute.name), in: number)
        case (is NSRelationshipDescription, is NSRelationshipDescription):
            pairs[number]?.relationships[property.name] = former.name
        case (is NSAttributeDescription, _):
            refuse(
                "Relationship '\(path)' was an attribute before. Give it another name, which deletes the values of the "
                    + "attribute, or convert them to objects in a custom stage.", entity: entity, key: property.name)
        default:
            refuse(
                "Attribute '\(path)' was a relationship before. Give it another name, which deletes the links, or convert "
                    + "them to values in a custom stage.", entity: entity, key: property.name)
        }
    }

    private mutating func match(
        _ attribute: NSAttributeDescription, to former: NSAttributeDescription, named names: (old: String, new: String),
        in number: Int
    ) {
        if let composite = attribute as? NSCompositeAttributeDescription,
            let formerComposite = former as? NSCompositeAttributeDescription
        {
            return matchElements(of: composite, to: formerComposite, named: names, in: number)
        }
        if attribute is NSDerivedAttributeDescription {
            // The store computes the value, so no value can be lost.
            if former is NSDerivedAttributeDescription, former.attributeType == attribute.attributeType {
                pairs[number]?.attributes[names.new] = names.old
            }
            return
        }
        guard attribute.attributeType.holdsEveryValue(of: former.attributeType) else {
            let entity = Self.declaring(attribute)?.name ?? new.model[number].name
            return refuse(
                "Attribute '\(entity).\(names.new)' had the type \(former.attributeType.displayName) and now has the type "
                    + "\(attribute.attributeType.displayName). Keep the type, give the attribute another name, "
                    + "which deletes its values, or convert them in a custom stage.", entity: entity, key: names.new)
        }
        pairs[number]?.attributes[names.new] = names.old
    }

    private mutating func matchElements(
        of composite: NSCompositeAttributeDescription, to former: NSCompositeAttributeDescription,
        named names: (old: String, new: String), in number: Int
    ) {
        let before = former.elements
        let after = composite.elements
        let matcher = RenamingMatcher(from: before.map(Self.item), to: after.map(Self.item)) {
            Self.fits(before[$1], into: after[$0])
        }
        let entity = Self.declaring(composite)?.name ?? new.model[number].name
        for clash in matcher.clashes {
            refuse(
                Self.text(
                    of: clash, "elements", old: clash.sources.map { "\(names.old).\(before[$0].name)" },
                    new: clash.destinations.map { "\(entity).\(names.new).\(after[$0].name)" }),
                entity: entity, key: names.new)
        }
        for (element, source) in zip(after, matcher.sources) {
            checkMissingElement(element, before: source.map { before[$0] }, named: names.new, in: number)
            guard let source else { continue }
            let inner = ("\(names.old).\(before[source].name)", "\(names.new).\(element.name)")
            match(element, to: before[source], named: inner, in: number)
        }
    }

    /// Checks for an element that is required wherever its optional composite has a value, which objects of the old model may
    /// lack. Elements of required composites are checked with the attributes.
    private mutating func checkMissingElement(
        _ element: NSAttributeDescription, before: NSAttributeDescription?, named composite: String, in number: Int
    ) {
        let path = "\(composite).\(element.name)"
        guard let pair = pairs[number], !old.model[pair.source].isAbstract else { return }
        if let inner = element as? NSCompositeAttributeDescription, before == nil, !inner.isOptional {
            for element in inner.elements { checkMissingElement(element, before: nil, named: path, in: number) }
            return
        }
        guard !element.isOptional, before?.isOptional ?? true,
            let leaf = new.model[number].attributes.first(where: { $0.name == path }), leaf.isOptional,
            !leaf.isTransient, leaf.derivation == nil, leaf.defaultValue == .null
        else { return }
        let entity = new.model[leaf.owner].name
        refuse(
            "Attribute '\(entity).\(path)' is \(before == nil ? "new and" : "now") required, and has no default value for "
                + "existing objects whose '\(composite)' has a value. Give it a default value, make it optional, or fill it in "
                + "a custom stage.", entity: entity, key: path)
    }

    /// Checks for values that are required in the new model and that objects of the old model do not have.
    mutating func checkMissingValues(of number: Int) {
        guard let pair = pairs[number], !old.model[pair.source].isAbstract else { return }
        let source = old.model[pair.source]
        let former = Dictionary(source.attributes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for attribute in new.model[number].attributes
        where !attribute.isOptional && !attribute.isTransient && attribute.derivation == nil
            && attribute.defaultValue == .null
        {
            let before = pair.attributes[attribute.name].flatMap { former[$0] }
            let entity = new.model[attribute.owner].name
            let path = "'\(entity).\(attribute.name)'"
            if let before {
                guard before.isOptional else { continue }
                refuse(
                    "Attribute \(path) is now required, and has no default value for objects without a value. Give it a "
                        + "default value, leave it optional, or fill it in a custom stage.", entity: entity,
                    key: attribute.name)
            } else {
                refuse(
                    "Attribute \(path) is new and required, and has no default value for the existing objects. Give "
                        + "it a default value, make it optional, or fill it in a custom stage; if it was renamed, give it "
                        + "its old name as renaming identifier.", entity: entity, key: attribute.name)
            }
        }
        checkMissingLinks(of: pair)
    }

    /// Returns the stored properties.
    private static func kept(_ properties: [NSPropertyDescription]) -> [NSPropertyDescription] {
        properties.filter { !$0.isTransient && ($0 is NSAttributeDescription || $0 is NSRelationshipDescription) }
    }

    private static func item(_ property: NSPropertyDescription) -> RenamingMatcher.Item {
        .init(name: property.name, identifier: property.renamingIdentifier)
    }

    /// Returns whether the values of an old property are valid for a new one.
    private static func fits(_ former: NSPropertyDescription, into property: NSPropertyDescription) -> Bool {
        switch (former, property) {
        case (let former as NSAttributeDescription, let attribute as NSAttributeDescription):
            attribute.attributeType.holdsEveryValue(of: former.attributeType)
        case (is NSRelationshipDescription, is NSRelationshipDescription): true
        default: false
        }
    }

    static func path(of property: NSPropertyDescription) -> String {
        "\(property.declaringEntity?.name ?? "").\(property.name)"
    }

    /// Returns the entity that declares an attribute, or that declares the outermost composite that contains it.
    private static func declaring(_ attribute: NSAttributeDescription) -> NSEntityDescription? {
        var outermost = attribute
        var depth = 0
        while let outer = outermost.enclosingComposite, depth < ModelLimits.compositeDepth {
            outermost = outer
            depth += 1
        }
        return outermost.declaringEntity
    }
}

extension NSAttributeType {
    /// Returns whether an attribute of this type can keep the stored values of an attribute of another type unchanged.
    ///
    /// Core Data does not document which changes of type it infers. A wider number of the same kind loses no values and
    /// has the same column, so it is accepted. Any other change would alter or lose values.
    func holdsEveryValue(of former: NSAttributeType) -> Bool {
        switch (former, self) {
        case (.integer16AttributeType, .integer32AttributeType), (.integer16AttributeType, .integer64AttributeType),
            (.integer32AttributeType, .integer64AttributeType), (.floatAttributeType, .doubleAttributeType):
            true
        default: former == self
        }
    }
}
