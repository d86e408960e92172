import Foundation
@testable import OpenCoreData
import TestSupport
import Testing

@testable import SwormCommand

/// Swift that the tool writes for the models of the fixtures: it must compile, open the store and decode every row.
@Suite(
    "model --swift, compiled", .enabled(if: Fixtures.folder != nil, Comment(rawValue: Fixtures.missing)),
    .enabled(if: SnippetCompiler.found != nil, "the compiler or the built modules were not found"))
struct GeneratedSwiftTests {
    /// A store with the file of its model; without one, the store carries it.
    private struct Case {
        var store: URL
        var model: URL?
        var module: String
        var entities: [String: String]
        /// The entities with objects of their own beside those of sub-entities: an enum represents all of them, and a struct
        /// only the former.
        var subentities: [String: [String]]
        var source: String

        /// The number of an entity's objects, those of its sub-entities among them.
        func count(of entity: String) throws -> Int {
            let arguments = ["count", store.path, entity] + (model.map { ["--model", $0.path] } ?? [])
            return try #require(Int(Run(arguments).out.trimmingCharacters(in: .whitespacesAndNewlines)))
        }
    }

    /// One store of each model.
    private static func cases() throws -> [Case] {
        let stores = Dictionary(FixtureStores.all.map { ($0.url, $0) }, uniquingKeysWith: { first, _ in first })
        var seen: Set<[String: Data]> = []
        var result: [Case] = []
        for url in Fixtures.databases {
            guard let look = try? StoreInspector(url: url) else { continue }
            if try stores[url]?.issues().contains(where: { $0.kind == "external-missing" }) == true {
                print("\(Fixtures.relative(url)) is not decoded: files with its external data are missing")
                continue
            }
            guard seen.insert(look.metadata.versionHashes).inserted else { continue }
            let stored = try StoredModel(ofStoreAt: url)
            let file = stored.source == .cache ? nil : stores[url]?.model
            guard stored.source == .cache || file != nil else { continue }
            let model = try file.map { try StoreModelChoice.model(for: url, option: $0).model } ?? stored.model
            let module = "Model\(result.count)"
            let source = try SwiftModelWriter.text(model, source: "the fixture")
            result.append(
                Case(
                    store: url, model: file, module: module, entities: Self.types(in: source),
                    subentities: Self.subentities(in: source, model),
                    source: source + Self.reader(of: source, module)))
        }
        return result
    }

    private static var declaration: Regex<(Substring, Substring)> {
        /extension (\S+): (?:ManagedObject|Superentity)Convertible(?:, CompositeOwner)? \{/
    }

    /// The types of a source, with the entities that they represent.
    private static func types(in source: String) -> [String: String] {
        var result: [String: String] = [:]
        for match in source.matches(of: declaration) {
            // The lines that follow name the super-entity and the entity, if they are declared.
            let body = source[match.range.upperBound...].prefix(200).split(separator: "\n").prefix(2).joined(
                separator: "\n")
            let type = String(match.1)
            let name = body.firstMatch(of: /static let entityName = "(\w+)"/)?.1
            result[type] = name.map(String.init) ?? type.filter { $0 != "`" }
        }
        return result
    }

    /// The direct sub-entities of those entities that have an enum and also a struct.
    private static func subentities(in source: String, _ model: NSManagedObjectModel) -> [String: [String]] {
        let names = Dictionary(grouping: types(in: source).values, by: \.self).filter { $0.value.count > 1 }.keys
        return names.reduce(into: [:]) { result, name in
            result[name] = model.entitiesByName[name]?.subentities.compactMap(\.name) ?? []
        }
    }

    /// A function that decodes all objects of all types and says how many there are.
    private static func reader(of source: String, _ module: String) -> String {
        let types = types(in: source).sorted { $0.key < $1.key }
        let checked = types.map { "\($0.key).self" }.joined(separator: ", ")
        let lines = types.map { "            print(\"\\(name) \($0.value) \\(try $0.decode(\($0.key).all).count)\")" }
        return """

            public func read\(module)(_ name: String, _ store: URL, _ model: NSManagedObjectModel) throws {
                let container = try PersistentContainer(model: model, checking: \(checked), at: .readOnly(store))
                try container.perform {
            \(lines.joined(separator: "\n"))
                }
                let hashes = try NSManagedObjectModel(tables: \(checked)).entityVersionHashesByName
                for (entity, hash) in model.entityVersionHashesByName where hashes[entity] == hash {
                    print("\\(name) \\(entity) has the same hash")
                }
            }
            """
    }

    /// The entities that tables can express as a whole: neither they nor their super-entities have a comment about something
    /// that tables do not support.
    private static func expressible(in source: String) -> Set<String> {
        let types = types(in: source)
        var above: [String: String] = [:]
        for match in source.matches(
            of: /extension (\S+): (?:ManagedObject|Superentity)Convertible[^\n]*\n    typealias Superentity = (\S+)\n/)
        {
            above[String(match.1)] = String(match.2)
        }
        var commented: Set<String> = []
        // A type has two parts: its declaration and its extension.
        let parts = source.components(separatedBy: "\n}\n")
        for (declaration, body) in zip(parts, parts.dropFirst()) {
            guard let match = body.firstMatch(of: /extension (\S+): (?:ManagedObject|Superentity)Convertible/) else {
                continue
            }
            let lines = (declaration + "\n" + body).split(separator: "\n")
                .map { $0.trimmingCharacters(in: .whitespaces) }
            let notes = lines.filter { line in
                line.hasPrefix("//") && !line.hasPrefix("// Generated from")
                    && !line.hasPrefix("/// An object of the entity")
                    && (!line.contains("has the class") || line.contains("modifier") || line.contains("abstract"))
            }
            if !notes.isEmpty { commented.insert(String(match.1)) }
        }
        let inexpressible = types.filter { type, _ in
            var next: String? = type
            while let name = next {
                if commented.contains(name) { return true }
                next = above[name]
            }
            return false
        }
        return Set(types.values).subtracting(inexpressible.values)
    }

    @Test func `the generated Swift for every model compiles, opens the store and decodes every row`() throws {
        let compiler = try #require(SnippetCompiler.found)
        let cases = try Self.cases()
        #expect(!cases.isEmpty)
        var main = "import Foundation\nimport Sworm\n" + cases.map { "import \($0.module)\n" }.joined()
        var expected: Set<String> = []
        for item in cases {
            let store = "URL(fileURLWithPath: \(literal(item.store.path)))"
            let model = try modelExpression(item, store)
            main += "try read\(item.module)(\"\(item.module)\", \(store), \(model))\n"
            for entity in Set(item.entities.values) {
                let count = try item.count(of: entity)
                expected.insert("\(item.module) \(entity) \(count)")
                if let subentities = item.subentities[entity] {
                    let own = try subentities.reduce(count) { try $0 - item.count(of: $1) }
                    expected.insert("\(item.module) \(entity) \(own)")
                }
            }
        }
        let parts = Dictionary(cases.map { ($0.module, $0.source) }, uniquingKeysWith: { first, _ in first })
        let output = try compiler.output(of: parts, main: main, [])
        let lines = Set(output.split(separator: "\n").map(String.init))
        let same = lines.filter { $0.hasSuffix("has the same hash") }
        #expect(lines.subtracting(same) == expected, "\(output)")
        let wanted = Set(
            cases.flatMap { item in
                Self.expressible(in: item.source).map { "\(item.module) \($0) has the same hash" }
            })
        #expect(wanted.subtracting(same) == [])
        print(
            "\(cases.count) models as Swift: \(expected.count) types decode every row; the tables make the same hash for "
                + "\(same.count) entities, \(wanted.count) of them without a comment")
    }

    private func modelExpression(_ item: Case, _ store: String) throws -> String {
        guard let file = item.model else { return "StoredModel(ofStoreAt: \(store)).model" }
        // Of several versions the one that fits, as a file of its own.
        let hashes = try StoreInspector(url: item.store).metadata.versionHashes
        let name = try #require(
            NSManagedObjectModel.versions(at: file).first { $0.model.entityVersionHashesByName == hashes }?.name)
        let version =
            file.pathExtension == "xcdatamodeld" ? file.appendingPathComponent("\(name).xcdatamodel").path : file.path
        return "NSManagedObjectModel(contentsOf: URL(fileURLWithPath: \(literal(version)))) ?? NSManagedObjectModel()"
    }

    private func literal(_ text: String) -> String { "#\"\(text)\"#" }
}
