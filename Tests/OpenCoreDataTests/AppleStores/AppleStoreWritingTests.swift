import Foundation
import OpenCoreData
import Testing

/// Writes into copies of stores that Apple's framework wrote, through the public API.
@Suite("Writing into stores that Apple's framework wrote", .enabled(if: AppleStores.folder != nil, AppleStores.missing))
struct AppleStoreWritingTests {
    @Test(arguments: AppleStores.stores, [false, true])
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
