import Foundation
import SwormPredicates
#if canImport(CoreData)
import CoreData
#else
import OpenCoreData
#endif

// The model and the objects of a context, in the form in which bundles of changes contain them.
extension NSManagedObjectContext {
    /// Returns the entities of the model, by name.
    ///
    /// - Parameter records: The entity of the records, which is left out.
    func bundleEntities(without records: String) throws -> [String: BundleEntity] {
        var entities: [String: BundleEntity] = [:]
        for entity in persistentStoreCoordinator?.managedObjectModel.entities ?? []
        where entity.stableName != records && !entity.isAbstract {
            entities[entity.stableName] = try BundleEntity(entity)
        }
        return entities
    }

    /// Returns all objects of exactly one entity.
    func allObjects(ofEntity name: String) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: name)
        request.includesSubentities = false
        request.fetchBatchSize = 500
        return try fetch(request)
    }

    /// Returns the object with an identity; nil if it has no row.
    func objectIfExists(_ reference: ObjectReference) throws -> NSManagedObject? {
        do {
            return try existingObject(for: reference)
        } catch {
            if StoreError.Code.objectDeleted ~= translatedError(error) { return nil }
            throw error
        }
    }

    /// Inserts an object, which has a permanent id at once.
    func insertPermanentObject(ofEntity name: String) throws -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: name, into: self)
        try obtainPermanentIDs(for: [object])
        return object
    }
}

extension NSManagedObject {
    /// Returns an attribute.
    func bundleValue(_ attribute: BundleEntity.Attribute) throws -> AttributeValue {
        #if !canImport(CoreData)
        // The data itself: the value may be of a type that a bundle cannot contain.
        if attribute.type == .transformable { return accessedAttribute(attribute.name).value }
        #endif
        guard let any = value(forKeyPath: attribute.name), !(any is NSNull) else { return .null }
        let number = any as? NSNumber
        let value: AttributeValue? =
            switch attribute.type {
            case .boolean: number.map { .bool($0.boolValue) }
            case .integer16, .integer32, .integer64: number.map { .int($0.int64Value) }
            case .double, .float: number.map { .double($0.doubleValue) }
            case .decimal: (any as? NSDecimalNumber).map { .decimal($0.decimalValue) }
            default: AttributeValue(any: any)
            }
        if let value, attribute.fits(value) { return value }
        throw StoreError(
            .unsupported,
            "'\(attribute.name)' of \(entity.stableName) has a value that a bundle cannot contain: \(excerpt(any)). A bundle can contain a transformable attribute only as data.",
            entity: entity.stableName, attribute: attribute.name)
    }

    /// Sets an attribute, if the value differs.
    func setBundleValue(_ value: AttributeValue, of attribute: BundleEntity.Attribute) {
        #if !canImport(CoreData)
        if attribute.type == .transformable { return setAccessedAttribute(attribute.name, to: value) }
        #endif
        let keyed: Any? =
            switch value {
            case .bool(let flag): NSNumber(value: flag)
            case .int(let number): NSNumber(value: number)
            case .double(let number): NSNumber(value: number)
            case .decimal(let number): NSDecimalNumber(decimal: number)
            default: value.foundationValue
            }
        setElement(keyed, at: attribute.name)
    }

    /// Returns the objects of a relation, in its order if it has one.
    func bundleMembers(_ relation: BundleEntity.Relation) -> [NSManagedObject] {
        switch value(forKey: relation.name) {
        case let object as NSManagedObject: [object]
        case let ordered as NSOrderedSet: ordered.array.compactMap { $0 as? NSManagedObject }
        case let set as Set<NSManagedObject>: Array(set)
        default: []
        }
    }

    /// Replaces the objects of a relation.
    func setBundleMembers(_ members: [NSManagedObject], of relation: BundleEntity.Relation) {
        if !relation.isToMany {
            setValue(members.first, forKey: relation.name)
        } else if relation.isOrdered {
            setValue(NSOrderedSet(array: members), forKey: relation.name)
        } else {
            setValue(NSSet(array: members), forKey: relation.name)
        }
    }
}

extension BundleEntity {
    fileprivate init(_ entity: NSEntityDescription) throws {
        name = entity.stableName
        root = entity.root.stableName
        var lineage: Set<String> = []
        var attributes: [String: Attribute] = [:]
        var constraints: [[String]] = []
        var next: NSEntityDescription? = entity
        while let current = next {
            lineage.insert(current.stableName)
            constraints += current.uniquenessConstraints.map { constraint in
                constraint.compactMap { $0 as? String ?? ($0 as? NSPropertyDescription)?.name }
            }
            next = current.superentity
        }
        for attribute in entity.attributesByName.values where !attribute.isTransient {
            if attribute is NSDerivedAttributeDescription { continue }
            for leaf in attribute.leaves() { attributes[leaf.name] = leaf }
        }
        guard
            let key = constraints.first(where: { names in !names.isEmpty && names.allSatisfy { attributes[$0] != nil } }
            )
        else {
            throw StoreError(
                .uniqueKeyNeeded,
                "Bundles name objects by unique attributes, and \(name) has none. Give an attribute the option `.unique`, for example an `id` of the type UUID, or keep \(name) in another store.",
                entity: name)
        }
        self.key = key
        self.lineage = lineage
        self.attributes = attributes
        relations = try entity.relationshipsByName.filter { !$0.value.isTransient }.mapValues {
            try Relation($0, of: entity)
        }
    }
}

extension BundleEntity.Relation {
    fileprivate init(_ relationship: NSRelationshipDescription, of entity: NSEntityDescription) throws {
        guard let inverse = relationship.inverseRelationship, let destination = relationship.destinationEntity else {
            throw StoreError(
                .unsupported,
                "The relation '\(relationship.name)' of \(entity.stableName) has no inverse, which bundles need. Declare the inverse in the model.",
                entity: entity.stableName, attribute: relationship.name)
        }
        name = relationship.name
        self.destination = destination.stableName
        self.inverse = inverse.name
        isToMany = relationship.isToMany
        isOrdered = relationship.isOrdered
        isOptional = relationship.isOptional
        inverseIsToMany = inverse.isToMany
        inverseIsOrdered = inverse.isOrdered
        let ends = [(relationship.entity.stableName, name), (inverse.entity.stableName, inverse.name)]
        keepsLinks = isToMany && inverseIsToMany && ends[0] <= ends[1]
    }
}

extension NSAttributeDescription {
    /// The attribute, or the elements of a composite attribute.
    fileprivate func leaves(under path: String = "") -> [BundleEntity.Attribute] {
        let name = path + self.name
        if let composite = self as? NSCompositeAttributeDescription {
            return composite.elements.flatMap { $0.leaves(under: name + ".") }
        }
        if attributeType == .undefinedAttributeType || attributeType == .objectIDAttributeType { return [] }
        return [BundleEntity.Attribute(name: name, type: attributeType.plain, isOptional: isOptional || !path.isEmpty)]
    }
}
