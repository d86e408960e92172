import Foundation
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Two sub-entities of one entity, each with a relationship of its own under the same name.
@Suite("Relationships of siblings that have the same name", .overEachStore)
struct SiblingRelationshipTests {
    private func model() -> NSManagedObjectModel {
        let region = Build.entity("Region", [Build.attribute("code")])
        let continent = Build.entity("Continent", [])
        let country = Build.entity("Country", [])
        let mood = Build.entity("Mood", [Build.attribute("name")])
        region.subentities = [continent, country]
        let continentMoods = Build.toMany("moods", mood)
        let moodContinent = Build.toOne("continent", continent)
        Build.connect(continentMoods, moodContinent)
        let countryMoods = Build.toMany("moods", mood)
        let moodCountry = Build.toOne("country", country)
        Build.connect(countryMoods, moodCountry)
        continent.properties += [continentMoods]
        country.properties += [countryMoods]
        mood.properties += [moodContinent, moodCountry]
        return Build.model(region, continent, country, mood)
    }

    @Test func `members that are read ahead for one sibling are not taken for the other's`() throws {
        let coordinator = try GraphLibrary.coordinator(model: model())
        let writing = GraphLibrary.context(coordinator)
        for name in ["a", "b"] {
            let country = try writing.make("Country", ["code": "country \(name)"])
            let continent = try writing.make("Continent", ["code": "continent \(name)"])
            try writing.make("Mood", ["name": name, "country": country, "continent": continent])
        }
        try writing.save()
        // One fetch brings both kinds, in turns; each is asked for its own members.
        for descending in [false, true] {
            let reading = GraphLibrary.context(coordinator)
            let regions = try reading.all("Region", sort: "code")
            for region in descending ? regions.reversed() : regions {
                let names = region.set("moods").compactMap { $0.text("name") }
                #expect(names == [try #require(region.text("code")).suffix(1).description])
            }
        }
    }

    @Test func `an ordered set that is emptied through its accessor stays usable`() throws {
        let context = try GraphLibrary.context()
        let book = try context.make("Book", ["title": "A book"])
        let reviews = try (1...3).map { try context.make("Review", ["mark": $0]) }
        let set = book.mutableOrderedSetValue(forKey: "reviews")
        for review in reviews { set.add(review) }
        #expect(set.array.count == 3)
        for review in reviews { set.remove(review) }
        #expect(set.count == 0 && set.array.isEmpty)
        set.insert(reviews[2], at: 0)
        set.insert(reviews[0], at: 0)
        set.removeObject(at: 1)
        #expect(set.array.compactMap { $0 as? NSManagedObject } == [reviews[0]])
        try context.save()
        #expect(book.list("reviews") == [reviews[0]])
    }
}
