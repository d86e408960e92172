import Foundation
@testable import OpenCoreData
import TestSupport
import Testing

@testable import SwormCommand

/// Swift of frozen versions: it must compile beside that of other versions, and its tables must make the frozen hashes.
@Suite(
    "freeze, compiled",
    .enabled(if: SnippetCompiler.found != nil, "the compiler or the built modules were not found"))
struct FrozenSwiftTests {
    private struct Version {
        var hashes: [String: Data]
        /// The words that name the store or the model for the tool.
        var words: [String]
    }

    /// Compiles the frozen structs of versions, each in its own module, and expects the hashes of what tables can
    /// express. The classes for SwiftData must compile apart from their macros.
    private func expectHashes(_ versions: [Version]) throws {
        let compiler = try #require(SnippetCompiler.found)
        var parts: [String: String] = [:]
        var schemas = ["Prelude": SwiftDataStandIn.prelude]
        var main = "import Foundation\nimport Sworm\n"
        var expected: Set<String> = []
        for version in versions {
            let workshop = try Workshop()
            let name = "M\(parts.count)"
            let run = Run(["freeze"] + version.words + [workshop.file("Frozen"), "--name", name])
            #expect(run.code == .ok, "\(run.err)")
            let text = try String(contentsOf: workshop.url("Frozen/\(name).tables.swift"), encoding: .utf8)
            let tables = FrozenTables(text)
            parts[name] = text + tables.reader(name)
            let schema = try String(contentsOf: workshop.url("Frozen/\(name).schema.swift"), encoding: .utf8)
            schemas["Schema\(name)"] = SwiftDataStandIn.source(schema)
            main += "import \(name)\ntry read\(name)()\n"
            for entity in tables.expressible {
                let hash = try #require(version.hashes[entity])
                expected.insert("\(name) \(entity) \(hash.base64EncodedString())")
            }
        }
        #expect(try compiler.diagnostics(of: schemas, stage: .types) == [:])
        let output = try compiler.output(of: parts, main: main, [])
        let lines = Set(output.split(separator: "\n").map(String.init))
        #expect(expected.subtracting(lines) == [], "\(output)")
        print("\(parts.count) frozen versions as Swift: \(expected.count) entities have the frozen hash")
    }

    @Test func `structs in the enum of a version compile, and their tables make its hashes`() throws {
        let workshop = try Workshop()
        try workshop.write(OddXML.text, model: "Odd")
        try workshop.write(PressXML.text, model: "Press")
        try workshop.write(HouseXML.text, model: "House")
        try workshop.write(TwinsXML.xml, model: "Twins")
        try expectHashes(
            ["Library", "Odd", "Press", "House", "Twins"].map { name in
                let path = workshop.file(name + ".xcdatamodel")
                let model = try NSManagedObjectModel.load(contentsOf: URL(fileURLWithPath: path))
                return Version(hashes: model.entityVersionHashesByName, words: [path])
            })
    }

    /// The Swift of all models takes the compiler several minutes, so that it is compiled on request.
    private static let compilesAll = ProcessInfo.processInfo.environment["SWORM_COMPILE_FROZEN"] == "1"

    @Test(.enabled(if: Fixtures.folder != nil, Comment(rawValue: Fixtures.missing)))
    func `structs of the fixtures compile, and their tables make the hashes of the stores`() throws {
        var seen: Set<[String: Data]> = []
        var versions: [Version] = []
        for source in FrozenFixtureTests.sources where Self.compilesAll || versions.count < 2 {
            let hashes = try FrozenFixtureTests.hashes(of: source)
            guard seen.insert(hashes).inserted, Self.compilesAll || hashes.count < 6 else { continue }
            versions.append(Version(hashes: hashes, words: source.words))
        }
        try expectHashes(versions)
    }
}
