import Foundation
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Two sub-entities of one entity, whose relationships have the same place among each one's, and lead elsewhere.
@Suite("Rows that are read ahead for siblings", .overEachStore)
struct SiblingReadAheadTests {
    private static let count = 4400

    private func model() -> NSManagedObjectModel {
        let region = Build.entity("Region", [Build.attribute("number", .integer32AttributeType)])
        let continent = Build.entity("Continent")
        let country = Build.entity("Country")
        region.subentities = [continent, country]
        let sea = Build.entity("Sea", [Build.attribute("name")])
        let town = Build.entity("Town", [Build.attribute("name")])
        for (owner, member) in [(continent, sea), (country, town)] {
            let toMany = Build.toMany("parts", member)
            let toOne = Build.toOne("region", owner)
            Build.connect(toMany, toOne)
            let chief = Build.toOne("chief", member)
            let chiefOf = Build.toMany("chiefOf", owner)
            Build.connect(chief, chiefOf)
            owner.properties += [toMany, chief]
            member.properties += [toOne, chiefOf]
        }
        return Build.model(region, continent, country, sea, town)
    }

    /// Continents and countries by turns, each with a sea or a town of its own number.
    private func world(_ count: Int) throws -> NSManagedObjectContext {
        let context = GraphLibrary.context(try GraphLibrary.coordinator(model: model()))
        for number in 0..<count {
            let region = try context.make(number % 2 == 0 ? "Continent" : "Country", ["number": number])
            let part = try context.make(number % 2 == 0 ? "Sea" : "Town", ["name": "\(number)", "region": region])
            region.setValue(part, forKey: "chief")
        }
        try context.save()
        context.reset()
        return context
    }

    @Test func `members that are read with their whole table are not taken for a sibling's`() throws {
        let context = try world(Self.count)
        let regions = try context.all("Region", sort: "number")
        var wrong = 0
        for (number, region) in regions.enumerated() {
            if region.set("parts").compactMap({ $0.text("name") }) != ["\(number)"] { wrong += 1 }
        }
        #expect(regions.count == Self.count && wrong == 0, "\(wrong)")
    }

    @Test func `the ends of relationships to one are not taken for a sibling's`() throws {
        let context = try world(6)
        let entity = try #require(context.compiledModel?.entities.first { $0.name == "Region" })
        let rows = try #require(
            try context.fetchRows(FetchSpecification(entity: entity.number), reading: FetchReading(batchSize: 10)))
        for row in 0..<rows.count {
            let plan = try #require(context.compiledModel?[rows.id(row).row.entity])
            guard case .relationship(let slot)? = plan.slot(named: "chief"),
                case .row(let others, let place)? = try rows.destination(row: row, slot: slot)
            else {
                Issue.record("no row")
                continue
            }
            #expect(others.id(place).entity.name == (plan.name == "Continent" ? "Sea" : "Town"))
        }
    }
}
