import Foundation
import Sworm

/// Tables for the contract check, and models built to differ from them.
enum Contract {
    struct Owner: ManagedObjectConvertible {
        var name = ""
        var age: Int?
        static let attributes: Set<Attribute<Owner>> = [.init(\.name, "name"), .init(\.age, "age")]
        struct Relations: Sendable {
            let cars = ToManyRelation<Car>("cars", inverse: \.owner)
            let licence = ToOneRelation<Licence>("licence")
        }
        static let relations = Relations()
    }

    struct Car: ManagedObjectConvertible {
        var plate = ""
        static let attributes: Set<Attribute<Car>> = [.init(\.plate, "plate")]
        struct Relations: Sendable { let owner = ToOneRelation<Owner>("owner") }
        static let relations = Relations()
    }

    struct Licence: ManagedObjectConvertible {
        var number = 0
        static let attributes: Set<Attribute<Licence>> = [.init(\.number, "number")]
    }

    /// A model that fits, after a change.
    static func model(_ change: (Parts) -> Void = { _ in }) -> NSManagedObjectModel {
        let parts = Parts()
        change(parts)
        let model = NSManagedObjectModel()
        model.entities = [parts.owner, parts.car, parts.licence] + parts.others
        return model
    }

    final class Parts {
        let owner = NSEntityDescription()
        let car = NSEntityDescription()
        let licence = NSEntityDescription()
        var others: [NSEntityDescription] = []

        init() {
            owner.name = "Owner"
            car.name = "Car"
            licence.name = "Licence"
            let cars = relation("cars", to: car, many: true)
            let carOwner = relation("owner", to: owner)
            cars.inverseRelationship = carOwner
            carOwner.inverseRelationship = cars
            owner.properties = [
                attribute("name", .stringAttributeType), attribute("age", .integer64AttributeType, optional: true),
                cars, relation("licence", to: licence),
            ]
            car.properties = [attribute("plate", .stringAttributeType), carOwner]
            licence.properties = [attribute("number", .integer64AttributeType)]
        }

        func attribute(
            _ name: String, _ type: NSAttributeType, optional: Bool = false, default value: Any? = nil
        ) -> NSAttributeDescription {
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            attribute.isOptional = optional
            attribute.defaultValue = value
            return attribute
        }

        func relation(
            _ name: String, to destination: NSEntityDescription, many: Bool = false
        ) -> NSRelationshipDescription {
            let relation = NSRelationshipDescription()
            relation.name = name
            relation.destinationEntity = destination
            relation.maxCount = many ? 0 : 1
            return relation
        }

        func add(_ property: NSPropertyDescription, to entity: NSEntityDescription) {
            entity.properties += [property]
        }
    }
}
