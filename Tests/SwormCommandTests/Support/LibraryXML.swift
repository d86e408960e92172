import Foundation
@testable import OpenCoreData
import SwormPredicates

/// A model with attributes of many types and relationships of every kind, and a small store of it.
enum LibraryXML {
    static let text = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" userDefinedModelVersionIdentifier="one">
            <entity name="Author" representedClassName="Author" syncable="YES">
                <attribute name="born" optional="YES" attributeType="Date" usesScalarValueType="NO"/>
                <attribute name="name" attributeType="String"/>
                <relationship name="books" optional="YES" toMany="YES" deletionRule="Cascade" ordered="YES" destinationEntity="Book" inverseName="author" inverseEntity="Book"/>
                <relationship name="profile" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Profile" inverseName="author" inverseEntity="Profile"/>
                <uniquenessConstraints>
                    <uniquenessConstraint>
                        <constraint value="name"/>
                    </uniquenessConstraint>
                </uniquenessConstraints>
            </entity>
            <entity name="Book" representedClassName="Book">
                <attribute name="cover" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
                <attribute name="id" optional="YES" attributeType="UUID" usesScalarValueType="NO"/>
                <attribute name="isRead" optional="YES" attributeType="Boolean" usesScalarValueType="YES"/>
                <attribute name="price" optional="YES" attributeType="Decimal" defaultValueString="0.0"/>
                <attribute name="rating" optional="YES" attributeType="Float" usesScalarValueType="YES"/>
                <attribute name="title" attributeType="String"/>
                <attribute name="weight" optional="YES" attributeType="Double" usesScalarValueType="YES"/>
                <attribute name="year" optional="YES" attributeType="Integer 16" usesScalarValueType="YES"/>
                <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author" inverseName="books" inverseEntity="Author"/>
                <relationship name="sequel" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Book"/>
                <relationship name="tags" optional="YES" toMany="YES" deletionRule="Nullify" ordered="YES" destinationEntity="Tag" inverseName="books" inverseEntity="Tag"/>
                <fetchIndex name="byYear">
                    <fetchIndexElement property="year" type="Binary" order="descending"/>
                </fetchIndex>
            </entity>
            <entity name="Comic" representedClassName="Comic" parentEntity="Book">
                <attribute name="isColored" optional="YES" attributeType="Boolean" usesScalarValueType="YES"/>
                <relationship name="parodies" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Comic"/>
            </entity>
            <entity name="Item" representedClassName="Item" isAbstract="YES">
                <attribute name="label" optional="YES" attributeType="String"/>
            </entity>
            <entity name="Poster" representedClassName="Poster" parentEntity="Item"/>
            <entity name="Profile" representedClassName="Profile">
                <attribute name="text" optional="YES" attributeType="String"/>
                <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author" inverseName="profile" inverseEntity="Author"/>
            </entity>
            <entity name="Shelf" representedClassName="Shelf">
                <attribute name="label" optional="YES" attributeType="String"/>
                <relationship name="posters" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Poster"/>
            </entity>
            <entity name="Tag" representedClassName="Tag">
                <attribute name="name" optional="YES" attributeType="String"/>
                <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book" inverseName="tags" inverseEntity="Book"/>
            </entity>
        </model>
        """

    /// Three authors, four books of which one is a comic, tags, a shelf with posters. Keys count from 1.
    static func content(_ model: CompiledModel) -> SaveRequest {
        var request = SaveRequest()
        request.author = "tests"
        var keys: [String: Int64] = [:]
        func insert(_ name: String, _ values: [String: AttributeValue], _ toOnes: [String: (String, Int64)] = [:]) {
            guard let entity = model.entity(named: name) else { return }
            let root = model[entity.root].name
            keys[root, default: 0] += 1
            request.insertions.append(
                .init(
                    row: .init(entity: entity.number, key: keys[root] ?? 0),
                    attributes: entity.attributes.map { values[$0.name] ?? .null },
                    toOnes: entity.relationships.map { relationship in
                        toOnes[relationship.name].flatMap { row($0.0, $0.1) }
                    }))
        }
        func row(_ name: String, _ key: Int64) -> RowID? {
            model.entity(named: name).map { .init(entity: $0.number, key: key) }
        }
        func link(_ owner: (String, Int64), _ name: String, _ target: (String, Int64)) {
            guard let owner = row(owner.0, owner.1), let target = row(target.0, target.1),
                case .relationship(let slot)? = model[owner.entity].slot(named: name)
            else { return }
            request.addedLinks.append(.init(owner: owner, relationship: slot, destination: target))
        }
        let date = Date(timeIntervalSinceReferenceDate: 700_000_000.125)
        insert("Author", ["name": .string("Leo"), "born": .date(date)], ["profile": ("Profile", 1)])
        insert("Author", ["name": .string("Anna, \"the\" best\nof all")])
        insert("Author", ["name": .string("日本の作家 👩‍👩‍👧")])
        insert("Profile", ["text": .string("Wrote much.")], ["author": ("Author", 1)])
        let uuid = UUID(uuidString: "173EF017-8551-4F2A-9A51-0123456789AB") ?? UUID()
        insert(
            "Book",
            [
                "title": .string("War and Peace"), "year": .int(1869), "rating": .double(4.5), "isRead": .bool(true),
                "id": .uuid(uuid), "price": .decimal(Decimal(string: "12.30") ?? 0), "weight": .double(1.25),
                "cover": .data(Data([1, 2, 3])),
            ], ["author": ("Author", 1), "sequel": ("Book", 2)])
        insert(
            "Book",
            [
                "title": .string("Anna Karenina"), "year": .int(1878), "isRead": .bool(false),
                "cover": .data(Data(repeating: 7, count: 150_000)),
            ], ["author": ("Author", 1)])
        insert("Book", ["title": .string(""), "year": .int(-5)], ["author": ("Author", 3)])
        insert(
            "Comic", ["title": .string("Tintin"), "year": .int(1929), "isColored": .bool(true)],
            ["author": ("Author", 2), "parodies": ("Comic", 4)])
        for name in ["old", "long"] { insert("Tag", ["name": .string(name)]) }
        insert("Shelf", ["label": .string("wall")])
        insert("Poster", ["label": .string("sea")])
        insert("Poster", ["label": .string("land")])
        link(("Book", 1), "tags", ("Tag", 1))
        link(("Book", 1), "tags", ("Tag", 2))
        link(("Book", 2), "tags", ("Tag", 2))
        link(("Shelf", 1), "posters", ("Poster", 1))
        link(("Shelf", 1), "posters", ("Poster", 2))
        return request
    }
}
