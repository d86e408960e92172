import Foundation
@testable import Sworm
import SwormPredicates
import Testing

@Suite("Mappings of types")
struct TypeMappingTests {
    @Test func `attributes are in the order of their names, with kind, optionality and offset`() throws {
        let plan = Book.mapping
        #expect(plan.entityName == "Book")
        #expect(
            plan.attributes.map(\.name)
                == ["address", "id", "price", "rating", "status", "subtitle", "title", "weight", "year"])
        #expect(
            plan.attributes.map(\.kind) == [.data, .uuid, .decimal, .int, .string, .string, .string, .double, .int])
        #expect(plan.attributes.filter(\.isOptional).map(\.name) == ["address", "rating", "subtitle"])
        #expect(plan.attributes.filter { !$0.isPrimitive }.map(\.name) == ["address", "status"])
        for attribute in plan.attributes { #expect(attribute.offset != nil) }
        let year = try plan.attribute(\.year)
        #expect(year.directOffset == MemoryLayout<Book>.offset(of: \.year))
        #expect(try plan.attribute(\.status).directOffset == nil)
        #expect(plan.index(named: "title") == 6)
        #expect(plan.index(named: "nothing") == nil)
    }

    @Test func `a plan is built once`() async {
        let plans = await withTaskGroup(of: ObjectIdentifier.self) { group in
            for _ in 0..<32 { group.addTask { ObjectIdentifier(Everything.mapping) } }
            return await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(plans.count == 1)
        #expect(Book.anyMapping === Book.mapping)
    }

    @Test func `every type of value comes back as it was`() throws {
        let object = Everything()
        let values = try Everything.mapping.values(of: object)
        #expect(try Everything.mapping.object(from: values) == object)
        let kinds = Set(Everything.mapping.attributes.map(\.kind))
        #expect(kinds == Set(PrimitiveKind.allCases))
        let level = try Everything.mapping.read(Everything.mapping.index(of: \.level), of: object)
        #expect(level == .int(700))
        let flags = try Everything.mapping.read(Everything.mapping.index(of: \.flags), of: object)
        #expect(flags == .int(5))
        let version = try Everything.mapping.read(Everything.mapping.index(of: \.version), of: object)
        #expect(version == .string("1.2"))
        let street = try Everything.mapping.read(Everything.mapping.index(of: \.place.street), of: object)
        #expect(street == .string("Am Bach"))
    }

    @Test func `a class is a model too`() throws {
        let note = Note()
        note.text = "old"
        note.stars = 4
        let copy = try Note.mapping.object(from: Note.mapping.values(of: note))
        #expect(copy !== note && copy.text == "old" && copy.stars == 4)
        #expect(Note.mapping.isClass && !Note.mapping.sharesTemplate)
        #expect(Note.mapping.attributes.allSatisfy { $0.directOffset == nil })
    }

    @Test func `one instance may be the template of rows only if the table covers it`() {
        struct Inner: ManagedObjectConvertible {
            var a = 0
            var b: Int16?
            var c = true
            static let attributes: Set<Attribute<Inner>> = [.init(\.a, "a"), .init(\.b, "b"), .init(\.c, "c")]
        }
        struct Tagged: ManagedObjectConvertible {
            var a = 0
            var tag = UUID()
            static let attributes: Set<Attribute<Tagged>> = [.init(\.a, "a")]
        }
        final class Cache {}
        struct Cached: ManagedObjectConvertible {
            var a = 0
            var cache = Cache()
            static let attributes: Set<Attribute<Cached>> = [.init(\.a, "a")]
        }
        #expect(Inner.mapping.sharesTemplate)
        #expect(Everything.mapping.sharesTemplate)
        #expect(Book.mapping.sharesTemplate)
        #expect(!Tagged.mapping.sharesTemplate)
        #expect(!Cached.mapping.sharesTemplate)
    }

    @Test func `defaults are the values of every new instance`() throws {
        struct Fresh: ManagedObjectConvertible {
            var id = UUID()
            var made = Date()
            var count = 7
            var name: String?
            var level = Level.high
            static let attributes: Set<Attribute<Fresh>> = [
                .init(\.id, "id"), .init(\.made, "made"), .init(\.count, "count"), .init(\.name, "name"),
                .init(\.level, "level"),
            ]
        }
        let defaults = Dictionary(uniqueKeysWithValues: Fresh.mapping.attributes.map { ($0.name, $0.defaultValue) })
        #expect(defaults == ["id": nil, "made": nil, "count": .int(7), "name": nil, "level": .int(700)])
    }

    @Test func `a key path that is not in the table names the nearest attribute`() throws {
        struct Wrong: ManagedObjectConvertible {
            var titel = ""
            var title = ""
            var other = 0
            static let attributes: Set<Attribute<Wrong>> = [.init(\.title, "title")]
        }
        let condition = \Wrong.titel == "x"
        let error = #expect(throws: StoreError.self) { try Wrong.all.where(condition).validate() }
        #expect(error?.code == .unknownKeyPath)
        #expect(error?.entity == "Wrong" && error?.attribute == "titel")
        #expect(error?.message.contains("'title'") == true)
        #expect(condition.format == "titel == %@")
        #expect(throws: StoreError.self) { try Wrong.all.sort(\.other).validate() }
        do { try condition.validate() } catch StoreError.Code.unknownKeyPath { return }
        Issue.record("the code does not match the error")
    }

    @Test func `a value that does not fit names entity, attribute and value`() throws {
        let plan = Everything.mapping
        var object = Everything()
        for (keyPath, value) in [
            (\Everything.int16 as PartialKeyPath<Everything>, AttributeValue.int(40_000)), (\.level, .int(3)),
            (\.string, .int(1)), (\.version, .string("1.x")), (\.int, .null), (\.float, .double(1e300)),
            (\.shape, .data(Data("{".utf8))), (\.bool, .int(2)), (\.uuid, .string("x")), (\.double, .int(.max)),
        ] {
            let error = #expect(throws: AttributeError.self) {
                try plan.write(value, at: plan.index(of: keyPath), into: &object)
            }
            guard case .badAttribute(let context) = error else {
                Issue.record("no context")
                return
            }
            #expect(context.entity == "Everything")
            #expect(context.name == (try plan.attribute(keyPath).name))
            #expect(error?.description.contains("Everything.\(context.name)") == true)
        }
        #expect(object.int16 == .max)
        let bad = Measured(reading: Reading(value: .nan))
        #expect(throws: AttributeError.self) { try Measured.mapping.values(of: bad) }
    }

    @Test func `wider and narrower numbers convert only without loss`() throws {
        #expect(try Float(attributeValue: .double(0.1)) == 0.1)
        #expect(try Double(attributeValue: .int(3)) == 3)
        #expect(try Decimal(attributeValue: .int(3)) == 3)
        #expect(try Bool(attributeValue: .int(1)))
        #expect(try Int(attributeValue: .bool(true)) == 1)
        #expect(try Float(attributeValue: .double(.infinity)) == .infinity)
    }
}
