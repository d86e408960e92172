import OpenCoreData
import SwormPredicates
import SwormStore

extension DiagramModel {
    /// Creates the diagram's form of a model.
    ///
    /// - Throws: ``CoreDataError`` if the model is not valid.
    init(_ model: NSManagedObjectModel) throws {
        self.init(entities: try model.compiledWithDescriptions().entities.map(Entity.init))
    }
}

extension DiagramModel.Entity {
    fileprivate init(_ entity: NSEntityDescription) {
        let properties = entity.ownProperties.sorted { VersionHash.precedes($0.name, $1.name) }
        let attributes = properties.compactMap { $0 as? NSAttributeDescription }
        let indexed =
            entity.indexes.flatMap { $0.elements.compactMap(\.propertyName) }
            + attributes.filter(\.isIndexed).map(\.name)
        self.init(
            name: entity.name ?? "", superentity: entity.superentity?.name, isAbstract: entity.isAbstract,
            className: entity.managedObjectClassName, attributes: attributes.map(DiagramModel.Attribute.init),
            relationships: properties.compactMap {
                ($0 as? NSRelationshipDescription).map(DiagramModel.Relationship.init)
            },
            uniqueAttributes: entity.uniquenessNames.flatMap { $0 }, indexedAttributes: indexed)
    }
}

extension DiagramModel.Attribute {
    fileprivate init(_ attribute: NSAttributeDescription) {
        let type =
            switch attribute.attributeType.attributeType {
            case .integer16: "Int16"
            case .integer32: "Int32"
            case .integer64: "Int64"
            case .boolean: "Bool"
            case .double: "Double"
            case .float: "Float"
            case .decimal: "Decimal"
            case .string: "String"
            case .date: "Date"
            case .binaryData: "Data"
            case .uuid: "UUID"
            case .uri: "URL"
            case .transformable: "Transformable"
            case .composite: "Composite"
            case .objectID: "ObjectID"
            case .undefined: "Undefined"
            }
        self.init(
            name: attribute.name, typeName: type + (attribute.isOptional ? "?" : ""),
            isTransient: attribute.isTransient, isDerived: attribute is NSDerivedAttributeDescription)
    }
}

extension DiagramModel.Relationship {
    fileprivate init(_ relationship: NSRelationshipDescription) {
        let rule: DiagramModel.DeleteRule =
            switch relationship.deleteRule {
            case .noActionDeleteRule: .noAction
            case .nullifyDeleteRule: .nullify
            case .cascadeDeleteRule: .cascade
            case .denyDeleteRule: .deny
            }
        self.init(
            name: relationship.name, destination: relationship.destinationEntity?.name ?? "?",
            inverse: relationship.inverseRelationship?.name, isToMany: relationship.isToMany,
            isOrdered: relationship.isOrdered, isOptional: relationship.isOptional, deleteRule: rule)
    }
}
