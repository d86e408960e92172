import Foundation
import SwormPredicates
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Validation predicates")
struct ValidationPredicateTests {
    private func attribute(_ type: NSAttributeType, _ predicates: NSPredicate...) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = "x"
        attribute.attributeType = type
        attribute.setValidationPredicates(predicates, withValidationWarnings: predicates.map { _ in "no" })
        return attribute
    }

    private func model(_ attribute: NSAttributeDescription) -> NSManagedObjectModel {
        let entity = NSEntityDescription()
        entity.name = "A"
        entity.properties = [attribute]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }

    @Test func `limits, lengths and patterns become the rules that a model file has`() {
        let date = Date(timeIntervalSinceReferenceDate: 5)
        let number = attribute(
            .integer64AttributeType, NSPredicate(format: "SELF >= %@", argumentArray: [2]),
            NSPredicate(format: "SELF <= 5", argumentArray: nil))
        #expect(number.validationRules == [.minimum(.int(2)), .maximum(.int(5))])
        let text = attribute(
            .stringAttributeType, NSPredicate(format: "length >= 1", argumentArray: nil),
            NSPredicate(format: "length <= %@", argumentArray: [NSNumber(value: 3)]),
            NSPredicate(format: "SELF MATCHES %@", argumentArray: ["[a-z]+"]))
        #expect(text.validationRules == [.minimumLength(1), .maximumLength(3), .pattern("[a-z]+")])
        let moment = attribute(.dateAttributeType, NSPredicate(format: "SELF >= %@", argumentArray: [date]))
        #expect(moment.validationRules == [.minimum(.date(date))])
    }

    @Test func `any other predicate over the value is checked as it is`() throws {
        let attribute = attribute(
            .integer64AttributeType, NSPredicate(format: "SELF == 1 OR SELF > 10", argumentArray: nil))
        let compiled = try #require(try model(attribute).compiled().entity(named: "A")?.attributes.first)
        #expect(compiled.violation(.int(1), entity: "A") == nil)
        #expect(compiled.violation(.int(11), entity: "A") == nil)
        let error = try #require(compiled.violation(.int(5), entity: "A"))
        #expect(error.errorCode == NSManagedObjectValidationError)
        #expect(error.message.contains("SELF == 1"))
    }

    @Test func `rules come back as predicates that mean the same`() {
        let rules: [ValidationRule] = [
            .minimum(.int(2)), .maximum(.double(2.5)), .minimumLength(1), .maximumLength(3), .pattern("a+"),
        ]
        let attribute = NSAttributeDescription()
        attribute.validationRules = rules
        let other = NSAttributeDescription()
        other.setValidationPredicates(attribute.validationPredicates, withValidationWarnings: nil)
        #expect(other.validationRules == rules)
        let copy = other.copy() as? NSAttributeDescription
        #expect(copy?.validationRules == rules)
    }

    @Test func `a mistake in a format is an issue of the model`() throws {
        let attribute = attribute(.integer64AttributeType, NSPredicate(format: "SELF >=", argumentArray: nil))
        let model = model(attribute)
        let error = #expect(throws: CoreDataError.self) { _ = try model.compiled() }
        #expect(error?.message.contains("A.x") ?? false)
        attribute.setValidationPredicates(nil, withValidationWarnings: nil)
        _ = try model.compiled()
        #expect(attribute.validationPredicates.isEmpty && attribute.validationWarnings.isEmpty)
    }
}
