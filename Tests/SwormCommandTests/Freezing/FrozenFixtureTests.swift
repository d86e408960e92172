import Foundation
@testable import OpenCoreData
import SwormPredicates
import SwormTools
import TestSupport
import Testing

@testable import SwormCommand

/// Frozen versions of all models among the fixtures.
@Suite("freeze, of fixtures", .enabled(if: Fixtures.folder != nil, Comment(rawValue: Fixtures.missing)))
struct FrozenFixtureTests {
    struct Source: Sendable, CustomTestStringConvertible {
        /// The words that name the store or the model for the tool.
        var words: [String]
        var testDescription: String
    }

    /// Every store with its model, and every version of a model.
    static let sources: [Source] = {
        guard let folder = Fixtures.folder else { return [] }
        let stores = FixtureStores.all.map { store in
            let words = store.url == store.model ? [] : ["--model", store.model.path]
            return Source(words: [store.url.path] + words, testDescription: Fixtures.relative(store.url))
        }
        let models = Fixtures.paths.filter { path in
            let url = folder.appendingPathComponent(path)
            return path.hasSuffix(".mom")
                || path.hasSuffix(".xcdatamodel")
                    && FileManager.default.fileExists(atPath: url.appendingPathComponent("contents").path)
        }
        return stores + models.map { Source(words: [folder.appendingPathComponent($0).path], testDescription: $0) }
    }()

    static func hashes(of source: Source) throws -> [String: Data] {
        let url = URL(fileURLWithPath: source.words[0])
        if let look = try? StoreInspector(url: url) { return look.metadata.versionHashes }
        return try NSManagedObjectModel.load(contentsOf: url).entityVersionHashesByName
    }

    @Test(arguments: sources) func `all parts have the hashes of the fixture, and the check finds no difference`(
        source: Source
    ) throws {
        let workshop = try Workshop()
        let folder = workshop.file("Frozen")
        let run = Run(["freeze"] + source.words + [folder, "--name", "1.0"])
        try #require(run.code == .ok, "\(run.err)")
        #expect(!run.err.contains("no objects of"), "\(run.err)")
        let hashes = try Self.hashes(of: source)
        let model = try NSManagedObjectModel.load(contentsOf: workshop.url("Frozen/1.0.xcdatamodel"))
        #expect(model.entityVersionHashesByName == hashes)
        #expect(try ReleasedModel(contentsOf: workshop.url("Frozen/1.0.release.json")).hashes == hashes)
        let store = workshop.file("Frozen/1.0.store/Store.sqlite")
        #expect(try StoreInspector(url: URL(fileURLWithPath: store)).metadata.versionHashes == hashes)
        let verification = Run(["verify", store])
        #expect(verification.out == "no faults\n", "\(verification.out)\(verification.err)")
        let check = Run(["freeze", "--check"] + source.words + [folder])
        #expect(check.code == .ok, "\(check.out)\(check.err)")
        try ReleaseLedger(in: workshop.url("Frozen")).check("1.0", model: model)
        let schema = try String(contentsOf: workshop.url("Frozen/1.0.schema.swift"), encoding: .utf8)
        let count = SchemaExpectation(model, schema).expectHashes()
        print("\(source.testDescription): SwiftData's classes have the hashes of \(count) of \(hashes.count) entities")
        if let compiler = SnippetCompiler.found {
            let tables = try String(contentsOf: workshop.url("Frozen/1.0.tables.swift"), encoding: .utf8)
            let diagnostics = try compiler.diagnostics(of: ["Schema": schema, "Tables": tables], stage: .syntax)
            #expect(diagnostics == [:])
        }
    }
}
