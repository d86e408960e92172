import Foundation
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Infers mappings between all versions of models that shipped in applications.
@Suite(
    "Mappings between versions of shipped models",
    .enabled(if: ModelFixtures.exist, "there are no fixtures, which SWORM_FIXTURES says"))
struct FixtureMappingTests {
    /// The changes from a version to each later one, by the model's file and the indexes of the versions. Chains that
    /// are not available are skipped.
    private static let changes: [String: [String: String]] = [
        "SampleModel": [
            "1 2": """
            - Car.color; - SportCar.color; ExpensiveSportCar > LuxuryCar; - LuxuryCar.color; - Person.id
            """,
            "1 3": """
            - Car.color; - Car.maker; + Car.createdBy; + Car.previousOwners; \
            - SportCar.color; - SportCar.maker; + SportCar.createdBy; + SportCar.previousOwners; \
            ExpensiveSportCar > LuxuryCar; - LuxuryCar.color; - LuxuryCar.maker; + LuxuryCar.createdBy; \
            + LuxuryCar.previousOwners; + Maker; - Person.id; + Person.previousCars
            """,
            "2 3": """
            - Car.maker; + Car.createdBy; + Car.previousOwners; - SportCar.maker; + SportCar.createdBy; \
            + SportCar.previousOwners; - LuxuryCar.maker; + LuxuryCar.createdBy; + LuxuryCar.previousOwners; + Maker; \
            + Person.previousCars
            """,
        ],
        "SampleModel3": [
            "1 2": "+ Pet; + User.pet", "1 3": "+ Pet; - User.petName; + User.pet", "2 3": "- User.petName",
        ],
        "BookmarksModel": bookmarks,
        "Moody": moody,
    ]

    private static let bookmarks: [String: String] = {
        let entity = "BookmarkEntity"
        let steps = [
            "", "+ isPendingDeletion; + modifiedAt; - isFavorite", "favoriteFolder > favoriteFolders",
            "+ lastChildrenPayloadReceivedFromSync", "+ isStub",
        ]
        var changes: [String: String] = [:]
        for first in 0..<5 {
            for last in first..<5 {
                let parts = steps[first...last].joined(separator: "; ").split(separator: "; ").map { part in
                    part.contains(">")
                        ? "\(entity).\(part)" : "\(part.prefix(2))\(entity).\(part.dropFirst(2))"
                }
                changes["\(first + 1) \(last + 2)"] = parts.joined(separator: "; ")
            }
        }
        return changes
    }()

    private static let moody: [String: String] = {
        let rating = "+ Mood.rating; Mood.remoteIdentifier > remoteID"
        let region = "- GeographicRegion"
        let shrunk =
            "- Continent.markedForDeletionDate; - Continent.numberOfCountries; - Continent.numberOfMoods; "
            + "- Continent.uniquenessDummy; - Continent.updatedAt"
        let noContinent = "+ Country.isoContinent; - Country.continent; - Continent"
        return [
            "1 2": rating, "1 3": "\(rating); + Continent.moods; + Mood.continent",
            "1 4": "\(rating); + Continent.moods; + Mood.continent; \(region)",
            "1 5": "\(rating); \(region); \(noContinent)",
            "1 6": "\(rating); \(region); \(shrunk)", "2 3": "+ Continent.moods; + Mood.continent",
            "2 4": "+ Continent.moods; + Mood.continent; \(region)", "2 5": "\(region); \(noContinent)",
            "2 6": "\(region); \(shrunk)", "3 4": region, "3 5": "\(region); - Mood.continent; \(noContinent)",
            "3 6": "\(region); - Continent.moods; - Mood.continent; \(shrunk)",
            "4 5": "- Mood.continent; \(noContinent)",
            "4 6": "- Continent.moods; - Mood.continent; \(shrunk)",
            "5 6": "+ Continent; - Country.isoContinent; "
                + "+ Country.continent",
        ]
    }()

    @Test(arguments: changes.keys.sorted())
    func `every version is mapped to each later one`(_ name: String) throws {
        guard let (versions, known) = try Self.chain(name) else { return }
        var count = 0
        for (last, new) in versions.enumerated() {
            for (first, old) in versions.enumerated() where first < last {
                let key = "\(first + 1) \(last + 1)"
                let expected = (known[key] ?? "missing").split(separator: "; ").map(String.init)
                #expect(inferred(from: old, to: new).sorted() == expected.sorted(), "\(name) \(key)")
                count += 1
            }
        }
        #expect(count == known.count)
    }

    /// A mapping is rejected if objects would lack required values, or if entities had no common ancestor.
    @Test(arguments: [("SampleModel", 2), ("SampleModel3", 0), ("BookmarksModel", 8), ("Moody", 7)])
    func `every version is mapped to each earlier one, or the reasons are reported`(_ name: String, refused: Int) throws
    {
        guard let (versions, _) = try Self.chain(name) else { return }
        var count = 0
        for (last, new) in versions.enumerated() {
            for old in versions.dropFirst(last + 1) {
                let lines = inferred(from: old, to: new)
                guard lines.contains(where: { $0.hasPrefix("134190") }) else { continue }
                count += 1
                #expect(
                    lines.allSatisfy {
                        $0.contains("is new and required") || $0.contains("now belong to one hierarchy")
                    }, "\(lines)")
            }
        }
        #expect(count == refused)
    }

    private static func chain(_ name: String) throws -> ([NSManagedObjectModel], [String: String])? {
        guard
            let url = ModelFixtures.all("xcdatamodeld").first(where: { $0.lastPathComponent == name + ".xcdatamodeld" }
            ),
            let known = changes[name]
        else {
            print("\(name).xcdatamodeld is not here")
            return nil
        }
        return (try NSManagedObjectModel.versions(at: url).map(\.model), known)
    }
}
