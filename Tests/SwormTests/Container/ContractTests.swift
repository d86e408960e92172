import Foundation
import Sworm
import Testing

@Suite("The contract of tables and a model")
struct ContractTests {
    private let contract = ModelContract(Contract.Owner.self)

    /// The faults after a change of the model that fits.
    private func faults(
        for use: ModelContract.Use = .writing, _ change: (Contract.Parts) -> Void
    ) -> [ContractFault] {
        contract.faults(in: Contract.model(change), for: use)
    }

    /// The only fault after a change.
    private func fault(
        for use: ModelContract.Use = .writing, _ change: (Contract.Parts) -> Void
    ) throws -> ContractFault {
        let faults = faults(for: use, change)
        #expect(faults.count == 1, "\(faults)")
        return try #require(faults.first)
    }

    @Test func `a model that fits has no fault`() throws {
        #expect(contract.faults(in: Contract.model()) == [])
        try contract.check(Contract.model())
    }

    @Test func `an entity that the model lacks is told with the nearest name`() throws {
        let fault = try fault { $0.licence.name = "License" }
        #expect(fault.kind == .unknownEntity)
        #expect(fault.entity == "Licence" && fault.member == nil && fault.suggestion == "License")
    }

    @Test func `an attribute that the model lacks is told with the nearest name`() throws {
        let fault = try fault { parts in
            parts.licence.attributesByName["number"]?.isOptional = true
            parts.licence.attributesByName["number"]?.name = "numbre"
        }
        #expect(fault.kind == .unknownAttribute)
        #expect(fault.entity == "Licence" && fault.member == "number")
        #expect(fault.suggestion == "numbre")
        #expect(
            fault.description
                == "Licence.number: the model's entity has no attribute of this name. Did you mean \"numbre\"?")
    }

    @Test func `a relation that the model lacks is told with the nearest name`() throws {
        let fault = try fault { $0.owner.relationshipsByName["licence"]?.name = "license" }
        #expect(fault.kind == .unknownRelation)
        #expect(fault.entity == "Owner" && fault.member == "licence" && fault.suggestion == "license")
    }

    @Test func `a relation in the place of an attribute is named as such`() throws {
        let fault = try fault { parts in
            parts.owner.properties.removeAll { $0.name == "licence" }
            parts.add(parts.attribute("licence", .stringAttributeType, optional: true), to: parts.owner)
        }
        #expect(fault.kind == .unknownRelation)
        #expect(fault.message.contains("this is an attribute in the model"))
    }

    @Test func `a wrong type`() throws {
        let fault = try fault { $0.owner.attributesByName["age"]?.attributeType = .stringAttributeType }
        #expect(fault.kind == .type)
        #expect(fault.description.hasPrefix("Owner.age: the property is an Int?, which is stored as an Integer 64"))
        #expect(fault.message.contains("a String"))
    }

    @Test func `an integer of another width is no wrong type`() {
        for type in [NSAttributeType.integer16AttributeType, .integer32AttributeType] {
            #expect(faults { $0.owner.attributesByName["age"]?.attributeType = type } == [])
        }
    }

    @Test func `a nil that the property does not know`() throws {
        let fault = try fault { $0.owner.attributesByName["name"]?.isOptional = true }
        #expect(fault.kind == .optionality)
        #expect(fault.message.contains("make it String?"))
        #expect(try self.fault(for: .reading) { $0.owner.attributesByName["name"]?.isOptional = true } == fault)
    }

    @Test func `a nil that never occurs is no fault`() {
        #expect(
            faults {
                $0.owner.attributesByName["name"]?.isOptional = true
                $0.owner.attributesByName["name"]?.defaultValue = "nobody"
            } == [])
        struct Known: ManagedObjectConvertible {
            static let entityName = "Licence"
            var number = 0
            static let attributes: Set<Attribute<Known>> = [.init(\.number, "number", .optional)]
        }
        let model = Contract.model { $0.licence.attributesByName["number"]?.isOptional = true }
        #expect(ModelContract(Known.self).faults(in: model) == [])
    }

    @Test func `a nil that the model does not take is a fault for writing only`() throws {
        let fault = try fault { $0.owner.attributesByName["age"]?.isOptional = false }
        #expect(fault.kind == .optionality)
        #expect(fault.message.contains("could not be saved"))
        #expect(faults(for: .reading) { $0.owner.attributesByName["age"]?.isOptional = false } == [])
    }

    @Test func `to one for to many, and in order for in no order`() throws {
        let one = try fault { $0.owner.relationshipsByName["licence"]?.maxCount = 0 }
        #expect(one.kind == .relationKind)
        #expect(one.message.contains("to one in the table and to many in the model"))
        #expect(one.message.contains("ToManyRelation<Licence>"))
        let ordered = try fault { $0.owner.relationshipsByName["cars"]?.isOrdered = true }
        #expect(ordered.kind == .relationKind)
        #expect(ordered.message.contains("declare it as ToManyOrderedRelation<Car>"))
    }

    @Test func `a relation that leads elsewhere`() throws {
        let fault = try fault { $0.owner.relationshipsByName["licence"]?.destinationEntity = $0.owner }
        #expect(fault.kind == .destination)
        #expect(fault.message == "the relation leads to Licence in the table and to Owner in the model")
    }

    @Test func `an inverse that is not there, or another one`() throws {
        let missing = try fault {
            $0.owner.relationshipsByName["cars"]?.inverseRelationship = nil
            $0.car.relationshipsByName["owner"]?.inverseRelationship = nil
        }
        #expect(missing.kind == .inverse)
        #expect(missing.description == "Owner.cars: its inverse is owner in the table and not there in the model")
        let other = try fault { parts in
            let driver = parts.relation("driver", to: parts.owner)
            parts.add(driver, to: parts.car)
            parts.owner.relationshipsByName["cars"]?.inverseRelationship = driver
            driver.inverseRelationship = parts.owner.relationshipsByName["cars"]
        }
        #expect(other.kind == .inverse)
        #expect(other.message.contains("and driver in the model"))
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
        let faults = ModelContract(Astray.self).faults(in: model)
        #expect(faults.map(\.kind) == [.inverse])
        #expect(faults.first?.message.contains("leads to Owner and not back to Licence") ?? false)
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
        let faults = ModelContract(Twice.self).faults(in: model)
        #expect(Set(faults.map(\.kind)) == [.repeatedName, .repeatedKeyPath])
        #expect(faults.count == 2)
    }

    @Test func `a value that the model requires and the table lacks`() throws {
        func add(to parts: Contract.Parts) {
            parts.add(parts.attribute("issued", .dateAttributeType), to: parts.licence)
            parts.add(parts.attribute("state", .stringAttributeType, default: "new"), to: parts.licence)
            parts.add(parts.attribute("note", .stringAttributeType, optional: true), to: parts.licence)
        }
        let fault = try fault(add)
        #expect(fault.kind == .missingAttribute)
        #expect(fault.entity == "Licence" && fault.member == "issued")
        #expect(faults(for: .reading, add) == [])
    }

    @Test func `a destination that the model requires and no table gives`() throws {
        func add(to parts: Contract.Parts) {
            let maker = parts.relation("maker", to: parts.licence)
            maker.isOptional = false
            parts.add(maker, to: parts.car)
        }
        let fault = try fault(add)
        #expect(fault.kind == .missingRelation)
        #expect(fault.entity == "Car" && fault.member == "maker")
        #expect(faults(for: .reading, add) == [])
    }

    @Test func `a destination that can be given from the other end is not missing`() {
        struct Plain: ManagedObjectConvertible {
            static let entityName = "Car"
            var plate = ""
            static let attributes: Set<Attribute<Plain>> = [.init(\.plate, "plate")]
        }
        let model = Contract.model { $0.car.relationshipsByName["owner"]?.isOptional = false }
        #expect(ModelContract(Plain.self, Contract.Owner.self).faults(in: model) == [])
        #expect(ModelContract(Plain.self).faults(in: model).map(\.kind) == [.missingRelation])
    }

    @Test func `what an abstract entity requires is for those that inherit from it`() {
        let model = Contract.model { parts in
            parts.add(parts.attribute("issued", .dateAttributeType), to: parts.licence)
            parts.licence.isAbstract = true
        }
        #expect(contract.faults(in: model) == [])
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
        #expect(ModelContract(Truck.self).faults(in: model) == [])
    }
}
