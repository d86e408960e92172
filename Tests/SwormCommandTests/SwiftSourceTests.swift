import Foundation
@testable import OpenCoreData
import SwormPredicates
import SwormStore
import Testing

@testable import SwormCommand

@Suite("model --swift, of models that need care")
struct SwiftSourceTests {
    private func swift(_ xml: String) throws -> String {
        let workshop = try Workshop()
        try workshop.write(xml, model: "Made")
        let run = Run(["model", workshop.file("Made.xcdatamodel"), "--swift"])
        #expect(run.code == .ok, "\(run.err)")
        return run.out
    }

    private func swift(entities: String) throws -> String {
        try swift(
            "<model type=\"com.apple.IDECoreDataModeler.DataModel\" documentVersion=\"1.0\">\(entities)</model>")
    }

    // MARK: Rules and defaults

    @Test func `negative bounds are in brackets, so that their sign is no part of the range operator`() throws {
        let text = try swift(TwinsXML.xml)
        for line in [
            #".init(\.debt, "debt", .range(...(-1))),"#, #".init(\.depth, "depth", .range((-10.0)...(-1.5))),"#,
            #".init(\.floor, "floor", .range((-10)...(-2))),"#,
        ] {
            #expect(text.contains(line), "\(line)")
        }
        let typed = SwiftAttribute.rules([.minimum(.int(-3)), .maximum(.int(-1))], for: .integer16)
        #expect(typed.said == [".range(Int16(-3)...Int16(-1))"])
    }

    @Test func `rules that contradict each other are a comment, and no range that traps`() throws {
        let text = try swift(TwinsXML.xml)
        #expect(text.contains("// at least 3 and at most 2 characters: no string is valid"))
        #expect(text.contains("// at least 5 and at most 4: no value is valid"))
        #expect(text.contains(#".init(\.code, "code"),"#) && text.contains(#".init(\.count, "count"),"#))
        #expect(text.contains(#".init(\.same, "same", .length(3...3)),"#))
        let pairs: [(AttributeValue, AttributeValue, SwormPredicates.AttributeType)] = [
            (.decimal(2), .decimal(1), .decimal), (.double(0.5), .int(0), .double), (.double(1), .double(-1), .float),
            (.date(Date(timeIntervalSinceReferenceDate: 2)), .date(Date(timeIntervalSinceReferenceDate: 1)), .date),
        ]
        for (low, high, type) in pairs {
            let rules = SwiftAttribute.rules([.minimum(low), .maximum(high)], for: type)
            #expect(rules.said == [] && rules.unsaid.count == 1, "\(rules)")
            #expect(SwiftAttribute.rules([.minimum(high), .maximum(low)], for: type).said.count == 1)
            #expect(SwiftAttribute.rules([.minimum(low), .maximum(low)], for: type).said.count == 1)
        }
    }

    @Test func `the second of two lower or upper bounds is a comment`() {
        let values = SwiftAttribute.rules([.minimum(.int(1)), .minimum(.int(3))], for: .integer64)
        #expect(values.said == [".range(1...)"] && values.unsaid == ["at least 3"])
        let lengths = SwiftAttribute.rules([.maximumLength(3), .maximumLength(1)], for: .string)
        #expect(lengths.said == [".length(...3)"] && lengths.unsaid == ["at most 1 characters"])
    }

    @Test func `a value that its type does not have is no literal`() {
        let none: [(AttributeValue, SwormPredicates.AttributeType)] = [
            (.int(40_000), .integer16), (.int(3_000_000_000), .integer32), (.double(1.5), .integer64),
            (.double(1e300), .float), (.double(.infinity), .double), (.double(.nan), .double), (.int(5), .string),
            (.double(1e300), .decimal), (.int(5), .date), (.bool(true), .string),
        ]
        for (value, type) in none {
            #expect(SwiftAttribute.literal(value, as: type) == nil, "\(value) as \(type)")
        }
        let literals: [(AttributeValue, SwormPredicates.AttributeType, String)] = [
            (.int(-32_768), .integer16, "-32768"), (.double(2), .integer64, "2"), (.decimal(5), .double, "5.0"),
            (.double(-1.5), .float, "-1.5"), (.int(3), .boolean, "true"), (.int(3), .float, "3"),
        ]
        for (value, type, text) in literals {
            #expect(SwiftAttribute.literal(value, as: type) == text, "\(value) as \(type)")
        }
        let rules = SwiftAttribute.rules([.maximum(.double(1e300))], for: .float)
        #expect(rules.said == [] && rules.unsaid == ["at most 1e+300"])
    }

    // MARK: Lines

    @Test func `a long line is never broken in a string literal`() throws {
        let text = try swift(TwinsXML.xml)
        #expect(text.contains("    var text = \"\(TwinsXML.text)\"\n"), "\(text)")
        let ends = [
            (#"x = "a(b" + c(d)"#, "d)"), (#"x = "a\"(" + c(d)"#, "d)"), (#"x = "\\" + c("(")"#, #""(")"#),
            ("x = \"\u{301}(\" + c(d)", "d)"),
        ]
        for (line, rest) in ends {
            #expect(SwiftNames.endOfFirstBracket(in: line).map { String(line[$0...]) } == rest, "\(line)")
        }
        #expect(SwiftNames.endOfFirstBracket(in: #"x = "a(b)""#) == nil)
    }

    @Test func `line breaks in a class name or a hash modifier do not end a comment`() throws {
        let entity = NSEntityDescription()
        entity.name = "Made"
        entity.managedObjectClassName = "Odd\nClass"
        entity.versionHashModifier = "a\nb"
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let text = try SwiftModelWriter.text(model, source: "the test")
        let line = "/// An entity that has the class Odd Class in Core Data, has the hash modifier \"a b\".\n"
        #expect(text.contains(line), "\(text)")
    }

    // MARK: Names

    /// The names of the types at the top level.
    private func types(in text: String) -> [String] {
        text.split(separator: "\n").filter { $0.hasPrefix("struct ") || $0.hasPrefix("enum ") }
            .compactMap { $0.split(separator: " ").dropFirst().first.map(String.init) }
    }

    @Test func `entities whose names need another form have types of different names`() throws {
        let text = try swift(TwinsXML.xml)
        #expect(types(in: text).sorted() == ["DataEntity", "DataEntityEntity", "Never"])
        #expect(text.contains("extension DataEntityEntity: ManagedObjectConvertible, CompositeOwner {"))
        #expect(text.contains("    static let entityName = \"Data\"\n"))
        #expect(text.contains("ToOneRelation<DataEntity>(\"Protocol\""))
        #expect(text.contains("ToOneRelation<DataEntityEntity>(\"Protocol\""))
    }

    @Test func `objects of super-entities have structs of different names`() throws {
        let text = try swift(
            entities: """
                <entity name="A"/><entity name="B" parentEntity="A"/><entity name="PlainA"/>
                <entity name="AEntity"/><entity name="C" parentEntity="AEntity"/>
                """)
        let names = types(in: text)
        #expect(
            names.sorted() == [
                "A", "AEntity", "B", "C", "PlainA", "PlainAEntity", "PlainAEntityEntity",
            ])
        #expect(text.contains("case plainAEntity(PlainAEntity)"))
        #expect(text.contains("case plainAEntityEntity(PlainAEntityEntity)"))
    }

    @Test func `properties whose names need another form differ from all other properties of the type`() throws {
        let text = try swift(TwinsXML.xml)
        for line in [
            #".init(\.Type_, "Type_"),"#, #".init(\.Type__, "Type"),"#, #".init(\.Self_, "Self_"),"#,
            #".init(\.Self__, "Self"),"#,
            #"let Protocol_ = ToOneRelation<DataEntity>("Protocol_", inverse: \.Protocol_)"#,
            #"let Protocol__ = ToOneRelation<DataEntity>("Protocol", inverse: \.Protocol__)"#,
        ] {
            #expect(text.contains(line), "\(line) in \(text)")
        }
    }

    @Test func `an inherited property has the name that the super-entity gives it`() throws {
        let text = try swift(
            entities: """
                <entity name="Above"><attribute name="Type" optional="YES" attributeType="String"/></entity>
                <entity name="Below" parentEntity="Above">
                    <attribute name="Type_" optional="YES" attributeType="String"/>
                </entity>
                """)
        #expect(text.contains(#".init(shared: \.Type_, named: "Type")"#), "\(text)")
        #expect(text.contains(#".init(\.Type_, "Type"),"#) && text.contains(#".init(\.Type__, "Type_"),"#), "\(text)")
    }
}
