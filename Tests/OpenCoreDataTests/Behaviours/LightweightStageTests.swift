import Foundation
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Behaviours: lightweight stages")
struct LightweightStageTests {
    private typealias Models = StagedModels

    @Test func `a lightweight stage that names only its target migrates from the version of the store`() throws {
        for version in [1, 2] {
            let store = try Models.store(version)
            try store.open(4, [Models.lightweight(4)])
            #expect(try store.lines("SELECT count(*) FROM ZPERSON WHERE ZINITIALS IS NULL") == ["2"])
            try store.checkFile()
            // The next opening finds nothing to do.
            try store.open(4, [Models.lightweight(4)])
        }
    }

    @Test func `it may be before and after custom stages`() throws {
        let store = try Models.store(1)
        try store.open(4, [Models.lightweight(2), Models.splitting(), Models.lightweight(4)])
        #expect(try store.people() == ["Jane Austen - 0", "Leo Tolstoy - 1"])
        try store.checkFile()
        let second = try Models.store(2)
        try second.open(4, [Models.lightweight(2), Models.splitting(), Models.lightweight(4)])
        #expect(try second.people() == ["Jane Austen - 0", "Leo Tolstoy - 1"])
    }

    @Test func `a version that no stage knows is still rejected where another stage is the first`() throws {
        let store = try Models.store(1)
        let stages = [Models.splitting(), Models.lightweight(4)]
        let error = coreDataError { try store.open(4, stages) }
        #expect(error?.errorCode == NSStagedMigrationFrameworkVersionMismatchError)
        #expect(error?.message.contains("has the version \(Models.checksum(1))") ?? false)
    }
}
