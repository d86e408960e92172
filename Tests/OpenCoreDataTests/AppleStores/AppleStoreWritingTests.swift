import Foundation
@testable import OpenCoreData
import Testing

/// Writes into copies of stores that Apple's framework wrote, through the public API.
@Suite("Writing into stores that Apple's framework wrote", .enabled(if: AppleStores.folder != nil, AppleStores.missing))
struct AppleStoreWritingTests {
    @Test func `only stores with missing files or dangling keys of Apple's own are left out`() throws {
        #expect(!AppleStores.soundStores.isEmpty)
        for store in AppleStores.stores {
            let issues = try #require(AppleStores.originalIssues[store.testDescription])
            guard !issues.isEmpty else { continue }
            print("\(store.testDescription) is not written to: \(issues)")
            let plain = try PlainStore(copyOf: store.url)
            let graph = try ObjectGraphText(plain, PlainModel(try store.model.make()))
            let missing = graph.nodes.values.flatMap(\.attributes.values).filter { $0 == ObjectGraphText.missingFile }
            for issue in issues {
                if issue.hasSuffix("names a missing file") {
                    #expect(!missing.isEmpty, "\(store.testDescription): \(issue)")
                } else {
                    #expect(issue.contains("point to a missing object"))
                    #expect(!graph.danglingLinks.isEmpty, "\(store.testDescription): \(issue)")
                }
            }
        }
    }

    @Test(arguments: AppleStores.soundStores, [false, true])
    func `objects of every entity are inserted, updated, related and deleted`(_ fixture: AppleStore, foreign: Bool)
        throws
    {
        let (folder, url) = try fixture.copied()
        if foreign { try ForeignContent.add(to: url) }
        let run = try StoreChanges(fixture, url: url)
        try run.insert()
        try run.update()
        try run.relate()
        try run.unrelate()
        try run.delete()
        print("\(fixture.testDescription): \(run.counts)")
        #expect(run.counts["inserted"] ?? 0 >= 2 * run.model.entities.filter { !$0.isAbstract }.count)
        withExtendedLifetime(folder) {}
    }
}
