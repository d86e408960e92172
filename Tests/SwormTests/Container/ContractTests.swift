import Foundation
import Sworm
import Testing

@Suite("The contract of tables and a model")
struct ContractTests {
    private let contract = ModelContract(Contract.Owner.self)

    /// The violations after a change of the model that fits.
    private func violations(
        for use: ModelContract.Use = .writing, _ change: (Contract.Parts) -> Void
    ) -> [ModelContract.Violation] {
        contract.violations(in: Contract.model(change), for: use)
    }

    /// The only issue after a change.
    private func issue(
        for use: ModelContract.Use = .writing, _ change: (Contract.Parts) -> Void
    ) throws -> ModelContract.Violation {
        let violations = violations(for: use, change)
        #expect(violations.count == 1, "\(violations)")
        return try #require(violations.first)
    }

    @Test func `a matching model has no issues`() throws {
        #expect(contract.violations(in: Contract.model()) == [])
        try contract.check(Contract.model())
    }

    @Test func `an entity that the model does not have is reported with the nearest name`() throws {
        let issue = try issue { $0.licence.name = "License" }
        #expect(issue.kind == .unknownEntity)
        #expect(issue.entity == "Licence" && issue.member == nil && issue.suggestion == "License")
    }

    @Test func `an attribute that the model does not have is reported with the nearest name`() throws {
        let issue = try issue { parts in
            parts.licence.attributesByName["number"]?.isOptional = true
            parts.licence.attributesByName["number"]?.name = "numbre"
        }
        #expect(issue.kind == .unknownAttribute)
        #expect(issue.entity == "Licence" && issue.member == "number")
        #expect(issue.suggestion == "numbre")
        #expect(
            issue.description
                == "Licence.number: the model's entity has no attribute of this name. Did you mean 'numbre'?")
    }

    @Test func `a relation that the model does not have is reported with the nearest name`() throws {
        let issue = try issue { $0.owner.relationshipsByName["licence"]?.name = "license" }
        #expect(issue.kind == .unknownRelation)
        #expect(issue.entity == "Owner" && issue.member == "licence" && issue.suggestion == "license")
    }

    @Test func `a relation instead of an attribute is reported as such`() throws {
        let issue = try issue { parts in
            parts.owner.properties.removeAll { $0.name == "licence" }
            parts.add(parts.attribute("licence", .stringAttributeType, optional: true), to: parts.owner)
        }
        #expect(issue.kind == .unknownRelation)
        #expect(issue.message.contains("this is an attribute in the model"))
    }

    @Test func `a wrong type`() throws {
        let issue = try issue { $0.owner.attributesByName["age"]?.attributeType = .stringAttributeType }
        #expect(issue.kind == .type)
        #expect(issue.description.hasPrefix("Owner.age: the property is an Int?, which is stored as an Integer 64"))
        #expect(issue.message.contains("a String"))
    }

    @Test func `an integer of another width is not a wrong type`() {
        for type in [NSAttributeType.integer16AttributeType, .integer32AttributeType] {
            #expect(violations { $0.owner.attributesByName["age"]?.attributeType = type } == [])
        }
    }

    @Test func `a nil that the property does not know`() throws {
        let issue = try issue { $0.owner.attributesByName["name"]?.isOptional = true }
        #expect(issue.kind == .optionality)
        #expect(issue.message.contains("make it `String?`"))
        #expect(try self.issue(for: .reading) { $0.owner.attributesByName["name"]?.isOptional = true } == issue)
    }

    @Test func `a nil that never occurs is not an issue`() {
        #expect(
            violations {
                $0.owner.attributesByName["name"]?.isOptional = true
                $0.owner.attributesByName["name"]?.defaultValue = "nobody"
            } == [])
        struct Known: ManagedObjectConvertible {
            static let entityName = "Licence"
            var number = 0
            static let attributes: Set<Attribute<Known>> = [.init(\.number, "number", .optional)]
        }
        let model = Contract.model { $0.licence.attributesByName["number"]?.isOptional = true }
        #expect(ModelContract(Known.self).violations(in: model) == [])
    }

    @Test func `a nil that the model does not allow is an issue only for writing`() throws {
        let issue = try issue { $0.owner.attributesByName["age"]?.isOptional = false }
        #expect(issue.kind == .optionality)
        #expect(issue.message.contains("could not be saved"))
        #expect(violations(for: .reading) { $0.owner.attributesByName["age"]?.isOptional = false } == [])
    }

    @Test func `to one for to many, and in order for in no order`() throws {
        let one = try issue { $0.owner.relationshipsByName["licence"]?.maxCount = 0 }
        #expect(one.kind == .relationKind)
        #expect(one.message.contains("to-one in the table and to-many in the model"))
        #expect(one.message.contains("ToManyRelation<Licence>"))
        let ordered = try issue { $0.owner.relationshipsByName["cars"]?.isOrdered = true }
        #expect(ordered.kind == .relationKind)
        #expect(ordered.message.contains("declare it as `ToManyOrderedRelation<Car>`"))
    }

    @Test func `a relation with another destination`() throws {
        let issue = try issue { $0.owner.relationshipsByName["licence"]?.destinationEntity = $0.owner }
        #expect(issue.kind == .destination)
        #expect(issue.message == "the destination of the relation is Licence in the table and Owner in the model")
    }

    @Test func `an inverse that is not there, or another one`() throws {
        let missing = try issue {
            $0.owner.relationshipsByName["cars"]?.inverseRelationship = nil
            $0.car.relationshipsByName["owner"]?.inverseRelationship = nil
        }
        #expect(missing.kind == .inverse)
        #expect(missing.description == "Owner.cars: its inverse is 'owner' in the table and missing in the model")
        let other = try issue { parts in
            let driver = parts.relation("driver", to: parts.owner)
            parts.add(driver, to: parts.car)
            parts.owner.relationshipsByName["cars"]?.inverseRelationship = driver
            driver.inverseRelationship = parts.owner.relationshipsByName["cars"]
        }
        #expect(other.kind == .inverse)
        #expect(other.message.contains("and 'driver' in the model"))
    }

    @Test func `an inverse that does not come back in the tables`() throws {
        struct Astray: ManagedObjectConvertible {
            static let entityName = "Licence"
            var number = 0
            static let attributes: Set<Attribute<Astray>> = [.init(\.number, "number")]
            struct Relations: Sendable { let cars = ToManyRelation<Contract.Car>("cars", inverse: \.owner) }
            static let relations = Relations()
        }
        let model = Contract.model { $0.add($0.relation("cars", to: $0.car, many: true), to: $0.licence) }
        let violations = ModelContract(Astray.self).violations(in: model)
        #expect(violations.map(\.kind) == [.inverse])
        #expect(violations.first?.message.contains("is Owner, not Licence") ?? false)
    }

    @Test func `a name twice and a key path twice`() {
        struct Twice: ManagedObjectConvertible {
            static let entityName = "Licence"
            var number = 0
            var other = 0
            static let attributes: Set<Attribute<Twice>> = [
                .init(\.number, "number"), .init(\.other, "number"), .init(\.number, "again"),
            ]
        }
        let model = Contract.model { $0.add($0.attribute("again", .integer64AttributeType), to: $0.licence) }
        let violations = ModelContract(Twice.self).violations(in: model)
        #expect(Set(violations.map(\.kind)) == [.repeatedName, .repeatedKeyPath])
        #expect(violations.count == 2)
    }

    @Test func `a value that the model requires and the table does not have`() throws {
        func add(to parts: Contract.Parts) {
            parts.add(parts.attribute("issued", .dateAttributeType), to: parts.licence)
            parts.add(parts.attribute("state", .stringAttributeType, default: "new"), to: parts.licence)
            parts.add(parts.attribute("note", .stringAttributeType, optional: true), to: parts.licence)
        }
        let issue = try issue(add)
        #expect(issue.kind == .missingAttribute)
        #expect(issue.entity == "Licence" && issue.member == "issued")
        #expect(violations(for: .reading, add) == [])
    }

    @Test func `a destination that the model requires and no table gives`() throws {
        func add(to parts: Contract.Parts) {
            let maker = parts.relation("maker", to: parts.licence)
            maker.isOptional = false
            parts.add(maker, to: parts.car)
        }
        let issue = try issue(add)
        #expect(issue.kind == .missingRelation)
        #expect(issue.entity == "Car" && issue.member == "maker")
        #expect(violations(for: .reading, add) == [])
    }

    @Test func `a destination that can be given from the other end is not missing`() {
        struct Plain: ManagedObjectConvertible {
            static let entityName = "Car"
            var plate = ""
            static let attributes: Set<Attribute<Plain>> = [.init(\.plate, "plate")]
        }
        let model = Contract.model { $0.car.relationshipsByName["owner"]?.isOptional = false }
        #expect(ModelContract(Plain.self, Contract.Owner.self).violations(in: model) == [])
        #expect(ModelContract(Plain.self).violations(in: model).map(\.kind) == [.missingRelation])
    }

    @Test func `required attributes of an abstract entity apply to its sub-entities`() {
        let model = Contract.model { parts in
            parts.add(parts.attribute("issued", .dateAttributeType), to: parts.licence)
            parts.licence.isAbstract = true
        }
        #expect(contract.violations(in: model) == [])
    }

    @Test func `inherited attributes and relations count`() {
        struct Truck: ManagedObjectConvertible {
            var plate = ""
            var load = 0.0
            static let attributes: Set<Attribute<Truck>> = [.init(\.plate, "plate"), .init(\.load, "load")]
            struct Relations: Sendable { let owner = ToOneRelation<Contract.Owner>("owner") }
            static let relations = Relations()
        }
        let model = Contract.model { parts in
            let truck = NSEntityDescription()
            truck.name = "Truck"
            truck.properties = [parts.attribute("load", .doubleAttributeType)]
            parts.car.subentities = [truck]
            parts.others.append(truck)
        }
        #expect(ModelContract(Truck.self).violations(in: model) == [])
    }
}
