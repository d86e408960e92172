import Foundation
import Sworm

/// Every option of every table, as types and as a model file.
enum Tabled {
    enum Status: Int16, SupportedAttributeType { case draft = 3, printed }

    struct Person {
        var code = UUID()
        var name = "nobody"
        var nick: String?
        var age: Int16 = 18
        var height: Float = 1.5
        var weight = 70.25
        var small = 7
        var middle: Int32 = -4
        var large: Int64 = 9_000_000_000
        var balance = Decimal(string: "12.50") ?? 0
        var isActive = true
        var born = Date(timeIntervalSinceReferenceDate: 86400.5)
        var made = Date()
        var photo: Data?
        var home: URL?
        var status = Status.printed
        var note = ""
    }

    struct Pet {
        var name = ""
        var chip = 0
    }

    struct Club {
        var name = ""
    }
}

extension Tabled.Person: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [
        .init(\.code, "code", .unique), .init(\.name, "name", .indexed, .length(1...40), .pattern("[a-z]+")),
        .init(\.nick, "nick", .renamed(from: "nickname"), .hashModifier("2")), .init(\.age, "age", .range(0...150)),
        .init(\.height, "height", .range(0.5...)), .init(\.weight, "weight", .range(...500)),
        .init(\.small, "small", .type(.integer16)), .init(\.middle, "middle"), .init(\.large, "large", .indexed),
        .init(\.balance, "balance"), .init(\.isActive, "isActive"), .init(\.born, "born"), .init(\.made, "made"),
        .init(\.photo, "photo", .external, .preservedOnDeletion), .init(\.home, "home"), .init(\.status, "status"),
        .init(\.note, "note", .optional),
    ]
    struct Relations: Sendable {
        let pets = ToManyRelation<Tabled.Pet>("pets", inverse: \.owner, deleteRule: .cascade, .count(...5))
        let clubs = ToManyOrderedRelation<Tabled.Club>("clubs", inverse: \.members, .hashModifier("b"))
        let mentor: ToOneRelation<Tabled.Person> = .init("mentor", deleteRule: .noAction)
        let pupils = ToManyRelation<Tabled.Person>("pupils", inverse: \.mentor, deleteRule: .deny)
        let friends: ToManyRelation<Tabled.Person> = .init("friends", inverse: \.friends)
        let firstClub = ToOneRelation<Tabled.Club>("firstClub", .renamed(from: "club"))
    }
    static let relations = Relations()
    static let uniquenessConstraints: [UniquenessConstraint<Self>] = [.init(\.name, \.born)]
    static let fetchIndexes: [FetchIndex<Self>] = [.init("byAgeAndName", .descending(\.age), .ascending(\.name))]
}

extension Tabled.Pet: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [.init(\.name, "name"), .init(\.chip, "chip", .type(.integer32))]
    struct Relations: Sendable { let owner = ToOneRelation<Tabled.Person>("owner", .required) }
    static let relations = Relations()
}

extension Tabled.Club: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [.init(\.name, "name")]
    struct Relations: Sendable { let members = ToManyOrderedRelation<Tabled.Person>("members") }
    static let relations = Relations()
}

extension Tabled {
    static let file = """
        <entity name="Person" representedClassName="Person" syncable="YES" codeGenerationType="class">
            <attribute name="age" attributeType="Integer 16" minValueString="0" maxValueString="150" defaultValueString="18" usesScalarValueType="YES"/>
            <attribute name="balance" attributeType="Decimal" defaultValueString="12.50"/>
            <attribute name="born" attributeType="Date" defaultDateTimeInterval="86400.5" usesScalarValueType="NO"/>
            <attribute name="code" attributeType="UUID" usesScalarValueType="NO"/>
            <attribute name="height" attributeType="Float" minValueString="0.5" defaultValueString="1.5" usesScalarValueType="YES"/>
            <attribute name="home" optional="YES" attributeType="URI"/>
            <attribute name="isActive" attributeType="Boolean" defaultValueString="YES" usesScalarValueType="YES"/>
            <attribute name="large" attributeType="Integer 64" defaultValueString="9000000000" usesScalarValueType="YES"/>
            <attribute name="made" attributeType="Date" usesScalarValueType="NO"/>
            <attribute name="middle" attributeType="Integer 32" defaultValueString="-4" usesScalarValueType="YES"/>
            <attribute name="name" attributeType="String" minValueString="1" maxValueString="40" regularExpressionString="[a-z]+" defaultValueString="nobody"/>
            <attribute name="nick" optional="YES" attributeType="String" versionHashModifier="2" elementID="nickname"/>
            <attribute name="note" optional="YES" attributeType="String" defaultValueString=""/>
            <attribute name="photo" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES" preserveAfterDeletion="YES"/>
            <attribute name="small" attributeType="Integer 16" defaultValueString="7" usesScalarValueType="YES"/>
            <attribute name="status" attributeType="Integer 16" defaultValueString="4" usesScalarValueType="YES"/>
            <attribute name="weight" attributeType="Double" maxValueString="500" defaultValueString="70.25" usesScalarValueType="YES"/>
            <relationship name="clubs" optional="YES" toMany="YES" deletionRule="Nullify" ordered="YES" versionHashModifier="b" destinationEntity="Club" inverseName="members" inverseEntity="Club"/>
            <relationship name="firstClub" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Club" elementID="club"/>
            <relationship name="friends" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Person" inverseName="friends" inverseEntity="Person"/>
            <relationship name="mentor" optional="YES" maxCount="1" deletionRule="No Action" destinationEntity="Person" inverseName="pupils" inverseEntity="Person"/>
            <relationship name="pets" optional="YES" toMany="YES" maxCount="5" deletionRule="Cascade" destinationEntity="Pet" inverseName="owner" inverseEntity="Pet"/>
            <relationship name="pupils" optional="YES" toMany="YES" deletionRule="Deny" destinationEntity="Person" inverseName="mentor" inverseEntity="Person"/>
            <fetchIndex name="byLarge"><fetchIndexElement property="large" type="Binary" order="ascending"/></fetchIndex>
            <fetchIndex name="byName"><fetchIndexElement property="name" type="Binary" order="ascending"/></fetchIndex>
            <fetchIndex name="byAgeAndName">
                <fetchIndexElement property="age" type="Binary" order="descending"/>
                <fetchIndexElement property="name" type="Binary" order="ascending"/>
            </fetchIndex>
            <uniquenessConstraints>
                <uniquenessConstraint><constraint value="code"/></uniquenessConstraint>
                <uniquenessConstraint><constraint value="name"/><constraint value="born"/></uniquenessConstraint>
            </uniquenessConstraints>
        </entity>
        <entity name="Pet" representedClassName="Pet" syncable="YES">
            <attribute name="chip" attributeType="Integer 32" defaultValueString="0" usesScalarValueType="YES"/>
            <attribute name="name" attributeType="String" defaultValueString=""/>
            <relationship name="owner" maxCount="1" deletionRule="Nullify" destinationEntity="Person" inverseName="pets" inverseEntity="Person"/>
        </entity>
        <entity name="Club" representedClassName="Club" syncable="YES">
            <attribute name="name" attributeType="String" defaultValueString=""/>
            <relationship name="members" optional="YES" toMany="YES" deletionRule="Nullify" ordered="YES" destinationEntity="Person" inverseName="clubs" inverseEntity="Person"/>
        </entity>
        """
}
