import Foundation

extension VersionHash {
    /// Returns the part of a property's hash that is common to all kinds of properties.
    static func property(_ property: NSPropertyDescription) -> [UInt8] {
        var message = Array(property.name.utf8)
        message.append(property.isOptional ? 1 : 0)
        message.append(0)
        message += Array((property.versionHashModifier ?? "").utf8)
        return SHA2.sha256(message)
    }

    static func attribute(_ attribute: NSAttributeDescription) -> [UInt8] {
        self.attribute(attribute, depth: 0)
    }

    private static func attribute(_ attribute: NSAttributeDescription, depth: Int) -> [UInt8] {
        if let derived = attribute as? NSDerivedAttributeDescription {
            return SHA2.sha256(Array((derived.derivation ?? "").utf8))
        }
        if let composite = attribute as? NSCompositeAttributeDescription {
            // The compiler reports a composite that contains itself as an issue; the limit only ends the recursion.
            guard depth < ModelLimits.compositeDepth else { return SHA2.sha256([]) }
            let elements = composite.elements.sorted { precedes($0.name, $1.name) }
            return SHA2.sha256(elements.flatMap { self.attribute($0, depth: depth + 1) })
        }
        var message = property(attribute)
        message += littleEndian(attribute.attributeType.rawValue)
        if attribute.allowsExternalBinaryDataStorage { message.append(1) }
        if attribute.preservesValueInHistoryOnDeletion { message.append(1) }
        return SHA2.sha256(message)
    }

    static func relationship(_ relationship: NSRelationshipDescription) -> [UInt8] {
        var message = property(relationship)
        message += Array((relationship.destinationEntity?.name ?? "").utf8)
        if let inverse = relationship.inverseRelationship, inverse !== relationship {
            message += Array(inverse.name.utf8)
        }
        message += littleEndian(UInt(bitPattern: relationship.maxCount))
        message += littleEndian(UInt(bitPattern: relationship.minCount))
        if relationship.isOrdered { message += [1, 0] }
        return SHA2.sha256(message)
    }

    static func entity(_ entity: NSEntityDescription) -> [UInt8] {
        var known: [ObjectIdentifier: [UInt8]] = [:]
        var propertyHashes: [ObjectIdentifier: [UInt8]] = [:]
        return self.entity(entity, known: &known, propertyHashes: &propertyHashes)
    }

    /// Returns the hashes of many entities; every property and every ancestor is hashed once.
    static func entities(_ entities: [NSEntityDescription]) -> [(NSEntityDescription, Data)] {
        var known: [ObjectIdentifier: [UInt8]] = [:]
        var propertyHashes: [ObjectIdentifier: [UInt8]] = [:]
        return entities.map { ($0, Data(entity($0, known: &known, propertyHashes: &propertyHashes))) }
    }

    private static func entity(
        _ entity: NSEntityDescription, known: inout [ObjectIdentifier: [UInt8]],
        propertyHashes: inout [ObjectIdentifier: [UInt8]]
    ) -> [UInt8] {
        var above: [UInt8] = []
        var properties: [NSPropertyDescription] = []
        for member in entity.lineage {
            properties += member.ownProperties
            if let hash = known[ObjectIdentifier(member)] {
                above = hash
                continue
            }
            var message = Array((member.name ?? "").utf8)
            message.append(member.isAbstract ? 1 : 0)
            message += above
            for property in used(properties) {
                let id = ObjectIdentifier(property)
                let hash = propertyHashes[id] ?? self.full(property)
                propertyHashes[id] = hash
                message += hash
            }
            message += Array((member.versionHashModifier ?? "").utf8)
            let constraints = member.uniquenessNames.map { $0.joined(separator: ".") }
            for constraint in constraints.sorted(by: precedes) { message += Array(constraint.utf8) }
            above = SHA2.sha256(message)
            known[ObjectIdentifier(member)] = above
        }
        return above
    }

    /// Returns the properties that are part of the hash, sorted by name. If names are duplicate, the property that is
    /// declared nearest to the entity is used.
    private static func used(_ properties: [NSPropertyDescription]) -> [NSPropertyDescription] {
        var nearest: [String: NSPropertyDescription] = [:]
        for property in properties { nearest[property.name] = property }
        return nearest.values
            .filter { !$0.isTransient && !($0 is NSFetchedPropertyDescription) }
            .sorted { precedes($0.name, $1.name) }
    }

    static func full(_ property: NSPropertyDescription) -> [UInt8] {
        switch property {
        case let attribute as NSAttributeDescription: self.attribute(attribute)
        case let relationship as NSRelationshipDescription: self.relationship(relationship)
        default: self.property(property)
        }
    }

    private static func littleEndian(_ number: UInt) -> [UInt8] {
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: number).littleEndian) { Array($0) }
    }
}
