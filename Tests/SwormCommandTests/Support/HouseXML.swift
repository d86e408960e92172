import Foundation
@testable import OpenCoreData
import SwormPredicates

/// A model with composite attributes: nested, with elements of every type, and with names that Swift keeps for itself.
enum HouseXML {
    static let text = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="House" representedClassName="House">
                <composite name="address" optional="YES">
                    <attribute name="city" attributeType="String" defaultValueString="Rome"/>
                    <attribute name="default" optional="YES" attributeType="Boolean" usesScalarValueType="YES"/>
                    <attribute name="number" optional="YES" attributeType="Integer 16" minValueString="1" usesScalarValueType="YES"/>
                    <composite name="place" optional="YES">
                        <attribute name="x" optional="YES" attributeType="Double" usesScalarValueType="YES"/>
                        <attribute name="y" optional="YES" attributeType="Float" usesScalarValueType="YES"/>
                    </composite>
                </composite>
                <composite name="data" optional="YES">
                    <attribute name="bytes" optional="YES" attributeType="Binary"/>
                    <attribute name="count" optional="YES" attributeType="Integer 64" usesScalarValueType="YES"/>
                    <attribute name="id" optional="YES" attributeType="UUID" usesScalarValueType="NO"/>
                    <attribute name="link" optional="YES" attributeType="URI"/>
                    <attribute name="price" optional="YES" attributeType="Decimal"/>
                    <attribute name="size" optional="YES" attributeType="Integer 32" usesScalarValueType="YES"/>
                    <attribute name="since" optional="YES" attributeType="Date" usesScalarValueType="NO"/>
                </composite>
                <attribute name="name" attributeType="String"/>
                <composite name="porch">
                    <attribute name="kind" attributeType="String" defaultValueString="plain"/>
                    <attribute name="width" optional="YES" attributeType="Double" usesScalarValueType="YES"/>
                </composite>
                <fetchIndex name="byCity">
                    <fetchIndexElement property="name" type="Binary" order="ascending"/>
                </fetchIndex>
            </entity>
            <entity name="Porch" representedClassName="Porch">
                <attribute name="name" optional="YES" attributeType="String"/>
            </entity>
        </model>
        """

    /// One house with everything, and one with nothing.
    static func content(_ model: CompiledModel) -> SaveRequest {
        var request = SaveRequest()
        guard let house = model.entity(named: "House") else { return request }
        let whole: [String: AttributeValue] = [
            "name": .string("whole"), "address.city": .string("Tula"), "address.default": .bool(true),
            "address.number": .int(7), "address.place.x": .double(54.5), "address.place.y": .double(0.25),
            "data.bytes": .data(Data([1, 2])), "data.count": .int(9_000_000_000), "data.id": .uuid(id),
            "data.link": .url(URL(fileURLWithPath: "/house")),
            "data.price": .decimal(Decimal(string: "12.5") ?? 0), "data.size": .int(-4),
            "data.since": .date(Date(timeIntervalSinceReferenceDate: 0.5)), "porch.kind": .string("b"),
            "porch.width": .double(.infinity),
        ]
        let bare: [String: AttributeValue] = ["name": .string("bare"), "porch.kind": .string("a")]
        for (key, values) in [(1, whole), (2, bare)] as [(Int64, [String: AttributeValue])] {
            request.insertions.append(
                .init(
                    row: .init(entity: house.number, key: key),
                    attributes: house.attributes.map { values[$0.name] ?? .null },
                    toOnes: house.relationships.map { _ in nil }))
        }
        return request
    }

    static let id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
}
