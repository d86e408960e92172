import Foundation
import Sworm
import Testing

/// Tables that differ from their model in twenty points.
private enum Wild {
    struct Ship: ManagedObjectConvertible {
        var name = ""
        var length = 0.0
        var crew = 0
        var flag = ""
        var built: Date?
        var motto = ""
        var log = Data()
        var harbour: String?
        static let attributes: Set<Attribute<Ship>> = [
            .init(\.name, "nme"), .init(\.length, "length"), .init(\.crew, "crew"), .init(\.flag, "flag"),
            .init(\.built, "built"), .init(\.motto, "motto"), .init(\.log, "captain"), .init(\.harbour, "harbour"),
            .init(\.crew, "hands"),
        ]
        struct Relations: Sendable {
            let captain = ToOneRelation<Sailor>("captain")
            let sailors = ToManyRelation<Sailor>("sailors", inverse: \.ship)
            let ports = ToManyRelation<Port>("ports")
            let flags = ToManyOrderedRelation<Port>("flags")
            let sister = ToOneRelation<Port>("sister")
        }
        static let relations = Relations()
    }

    struct Sailor: ManagedObjectConvertible {
        var name = ""
        var rank = 0
        static let attributes: Set<Attribute<Sailor>> = [.init(\.name, "name"), .init(\.rank, "rank")]
        struct Relations: Sendable { let ship = ToOneRelation<Ship>("ship") }
        static let relations = Relations()
    }

    struct Port: ManagedObjectConvertible {
        var depth = 0
        static let attributes: Set<Attribute<Port>> = [.init(\.depth, "depth")]
    }

    static let file = """
        <entity name="Ship">
            <attribute name="name" attributeType="String"/>
            <attribute name="length" attributeType="String"/>
            <attribute name="crew" attributeType="Date"/>
            <attribute name="hands" attributeType="Boolean"/>
            <attribute name="flag" optional="YES" attributeType="String"/>
            <attribute name="built" attributeType="Date"/>
            <attribute name="motto" optional="YES" attributeType="Binary"/>
            <attribute name="tonnage" attributeType="Double"/>
            <relationship name="captain" optional="YES" maxCount="1" destinationEntity="Sailor"/>
            <relationship name="sailors" optional="YES" toMany="YES" ordered="YES" destinationEntity="Sailor"/>
            <relationship name="ports" optional="YES" maxCount="1" destinationEntity="Sailor"/>
            <relationship name="flags" optional="YES" toMany="YES" destinationEntity="Harbour"/>
            <relationship name="sister" optional="YES" maxCount="1" destinationEntity="Ship"/>
            <relationship name="fleet" maxCount="1" destinationEntity="Harbour"/>
        </entity>
        <entity name="Sailor">
            <attribute name="name" attributeType="String"/>
            <attribute name="rnak" optional="YES" attributeType="Integer 16"/>
            <relationship name="shp" optional="YES" maxCount="1" destinationEntity="Ship"/>
        </entity>
        <entity name="Harbour"/>
        """
}

@Suite("Contract violations, all at once")
struct ContractManyIssuesTests {
    @Test(.enabled(if: ModelFixture.readsSources, "Core Data reads compiled models only"))
    func `every issue has its own line, also of more than twenty`() throws {
        let model = try ModelFixture.model(Wild.file)
        let issues = ModelContract(Wild.Ship.self).violations(in: model)
        let found = Set(issues.map { "\($0.kind) \($0.entity).\($0.member ?? "")" })
        let expected: Set<String> = [
            "repeatedKeyPath Ship.hands", "repeatedName Ship.captain",
            "unknownAttribute Ship.nme", "unknownAttribute Ship.captain", "unknownAttribute Ship.harbour",
            "type Ship.length", "type Ship.crew", "type Ship.hands", "type Ship.motto",
            "optionality Ship.flag", "optionality Ship.motto", "optionality Ship.built",
            "relationKind Ship.sailors", "relationKind Ship.ports", "relationKind Ship.flags",
            "destination Ship.ports", "destination Ship.flags", "destination Ship.sister", "inverse Ship.sailors",
            "missingAttribute Ship.name", "missingAttribute Ship.tonnage", "missingRelation Ship.fleet",
            "unknownAttribute Sailor.rank", "unknownRelation Sailor.ship", "unknownEntity Port.",
        ]
        #expect(found == expected, "\(found.symmetricDifference(expected))")
        #expect(issues.count == expected.count)

        let error = storeError { try ModelContract(Wild.Ship.self).check(model) }
        #expect(error?.code == .contractViolation)
        let lines = (error?.message ?? "").split(separator: "\n").map(String.init)
        #expect(lines.first == "The tables do not match the model in \(expected.count) points:")
        #expect(Array(lines.dropFirst()) == issues.map { "- \($0)" })
    }

    @Test(.enabled(if: ModelFixture.readsSources, "Core Data reads compiled models only"))
    func `a container checks the contract before it touches a file`() throws {
        let folder = try StoreFolder()
        let file = try ModelFixture.write(Wild.file, in: folder)
        let error = storeError {
            try PersistentContainer(modelFile: file, checking: Wild.Ship.self, at: .file(folder.file("new/a.sqlite")))
        }
        #expect(error?.code == .contractViolation)
        #expect(!FileManager.default.fileExists(atPath: folder.file("new").path))
        let model = try #require(NSManagedObjectModel(contentsOf: file))
        let again = storeError { try PersistentContainer(model: model, checking: Wild.Ship.self, at: .memory) }
        #expect(again?.message == error?.message)
        // Nothing to be checked, nothing to be refused.
        _ = try PersistentContainer(model: model, at: .memory)
    }

    @Test func `types that are only read may omit attributes that an insert needs`() throws {
        struct Title: ManagedObjectConvertible {
            static let entityName = "Owner"
            var name = ""
            static let attributes: Set<Attribute<Title>> = [.init(\.name, "name")]
        }
        let model = Contract.model { $0.add($0.attribute("tax", .doubleAttributeType), to: $0.owner) }
        #expect(storeError { try PersistentContainer(model: model, checking: Title.self, at: .memory) } != nil)
        let store = try PersistentContainer(model: model, checking: Title.self, at: .memory, for: .reading)
        #expect(try store.perform { try $0.count(of: Title.all) } == 0)
    }

    @Test(.enabled(if: ModelFixture.readsSources, "Core Data reads compiled models only"))
    func `a model file that is not there or makes no sense is reported`() throws {
        let folder = try StoreFolder()
        let missing = storeError {
            try PersistentContainer(modelFile: folder.file("No.xcdatamodel"), at: .memory)
        }
        #expect(missing?.code == .invalidModel)
        #expect(missing?.message.contains("No.xcdatamodel") ?? false)
        let file = try ModelFixture.write(
            "<entity name=\"A\"><attribute name=\"a\" attributeType=\"Quux\"/></entity>", in: folder)
        let wrong = storeError { try PersistentContainer(modelFile: file, at: .memory) }
        #expect(wrong?.code == .invalidModel)
        #expect(wrong?.message.contains(ModelFixture.reportsIssues ? "Quux" : file.path) ?? false)
    }
}
