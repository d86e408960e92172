import Foundation
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Sort orders with comparisons of strings", .overEachStore)
struct SortComparisonTests {
    private static let texts = ["b2", "B10", "a", "Ä", "é", "Z", "e", "B2", "z", "b10", "É"]

    /// The comparisons, with their SQL and the order of the texts. Equal texts have the order of their keys.
    static let cases: [(String, String, [String])] = [
        ("compare:", "t0.ZTITLE", ["B10", "B2", "Z", "a", "b10", "b2", "e", "z", "Ä", "É", "é"]),
        (
            "caseInsensitiveCompare:", "SwormFold(t0.ZTITLE, 1)",
            ["a", "B10", "b10", "b2", "B2", "e", "Z", "z", "Ä", "é", "É"]
        ),
        (
            "localizedCompare:", "SwormFold(t0.ZTITLE, 8) COLLATE SwormLocale",
            ["a", "Ä", "b10", "B10", "b2", "B2", "e", "é", "É", "z", "Z"]
        ),
        (
            "localizedCaseInsensitiveCompare:", "SwormFold(t0.ZTITLE, 9) COLLATE SwormLocale",
            ["a", "Ä", "B10", "b10", "b2", "B2", "e", "é", "É", "Z", "z"]
        ),
        (
            "localizedStandardCompare:", "SwormFold(t0.ZTITLE, 25) COLLATE SwormStandard",
            ["a", "Ä", "b2", "B2", "B10", "b10", "e", "é", "É", "Z", "z"]
        ),
    ]

    private func context() throws -> NSManagedObjectContext {
        let context = try GraphLibrary.context()
        for text in Self.texts {
            try context.make("Book", ["title": text])
            // The keys have the order of the texts.
            try context.save()
        }
        return context
    }

    private func request(_ selector: String, ascending: Bool = true) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = [
            NSSortDescriptor(key: "title", ascending: ascending, selector: Selector(selector))
        ]
        return request
    }

    @Test(arguments: cases)
    func `a comparison has its SQL`(selector: String, sql: String, order: [String]) throws {
        var specification = try LibraryQueries.request()
        specification.sorts = try request(selector).sortDescriptors?.map { try $0.sort() } ?? []
        #expect(
            try LibraryQueries.compiler.identities(specification).sql
                == "SELECT t0.Z_ENT, t0.Z_PK FROM ZBOOK t0 ORDER BY \(sql), t0.Z_PK")
    }

    @Test(arguments: cases)
    func `a comparison orders rows, unsaved objects and arrays alike`(
        selector: String, sql: String, order: [String]
    ) throws {
        let context = try context()
        let rows = try context.fetch(request(selector))
        #expect(rows.map { $0.text("title") } == order, "rows")
        let down = try context.fetch(request(selector, ascending: false))
        #expect(
            down.map { $0.text("title").map { folded($0, options: .caseInsensitive) } }
                == order.reversed().map { folded($0, options: .caseInsensitive) })
        let unsaved = try GraphLibrary.context()
        for text in Self.texts { try unsaved.make("Book", ["title": text]) }
        #expect(try unsaved.fetch(request(selector)).map { $0.text("title") } == order, "objects")
        let descriptor = try #require(request(selector).sortDescriptors?.first)
        let byKey = try context.all("Book")
        let sorted = NSArray(array: byKey).sortedArray(using: [descriptor])
        // Sorting an array is not stable.
        func keys(_ titles: [String]) -> [String] {
            selector == "compare:" ? titles : titles.map { folded($0, options: [.caseInsensitive]) }
        }
        #expect(keys(sorted.compactMap { ($0 as? NSManagedObject)?.text("title") }) == keys(order), "array")
    }

    @Test func `distinct dictionaries and groups follow a comparison too`() throws {
        let context = try context()
        let request = NSFetchRequest<NSDictionary>(entityName: "Book")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["title"]
        request.returnsDistinctResults = true
        request.sortDescriptors = [
            NSSortDescriptor(key: "title", ascending: true, selector: "localizedStandardCompare:")
        ]
        let expected = ["a", "Ä", "B2", "b2", "B10", "b10", "e", "É", "é", "Z", "z"]
        #expect(try context.fetch(request).map { $0["title"] as? String } == expected)
        request.returnsDistinctResults = false
        request.propertiesToGroupBy = ["title"]
        #expect(try context.fetch(request).map { $0["title"] as? String } == expected)
    }

    @Test func `other values and nil are ordered as without a comparison`() throws {
        let context = try GraphLibrary.context()
        for year in [3, 20, 100] { try context.make("Book", ["title": "t", "isbn": "\(year)", "year": year]) }
        try context.make("Book", ["title": "t"])
        try context.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        for key in ["year", "isbn"] {
            request.sortDescriptors = [
                NSSortDescriptor(key: key, ascending: true, selector: "localizedStandardCompare:")
            ]
            #expect(try context.fetch(request).map { $0.number("year") } == [nil, 3, 20, 100])
        }
    }

    @Test func `any other comparison is an error that names it`() throws {
        let context = try context()
        let error = try #require(coreDataError { _ = try context.fetch(request("compareByLength:")) })
        #expect(error.message.contains("compareByLength:") && error.message.contains("localizedStandardCompare:"))
        #expect(error.key == "title" && error.errorCode == NSPersistentStoreUnsupportedRequestTypeError)
    }

    @Test func `a descriptor keeps its comparison when it is reversed`() throws {
        let descriptor = NSSortDescriptor(key: "title", ascending: true, selector: "localizedCompare:")
        let reversed = try #require(descriptor.reversedSortDescriptor as? NSSortDescriptor)
        #expect(reversed.selector == NSSelectorFromString("localizedCompare:") && !reversed.ascending)
        #expect(NSSortDescriptor(key: "title", ascending: true).selector == "compare:")
        #expect(NSStringFromSelector("a:") == "a:" && Selector("a:") != "b:")
    }

    @Test func `a descriptor compares dictionaries and plain values`() {
        let byCount = NSSortDescriptor(key: "a.count", ascending: false)
        #expect(byCount.compare(["a": ["count": 2]], to: ["a": ["count": 10]]) == .orderedDescending)
        #expect(byCount.compare(["a": ["count": 2]], to: [:] as [String: Any]) == .orderedAscending)
        let bySelf = NSSortDescriptor(key: "self", ascending: true, selector: "caseInsensitiveCompare:")
        #expect(bySelf.compare("A", to: "a") == .orderedSame && bySelf.compare("b", to: "A") == .orderedDescending)
    }
}
