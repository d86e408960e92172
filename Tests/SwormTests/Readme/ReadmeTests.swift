import Foundation
import TestSupport
import Testing

/// The README and the guides, as text.
struct Document {
    let url: URL
    let text: String

    static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized

    init(_ path: String) throws {
        url = Self.root.appending(path: path)
        text = try String(contentsOf: url, encoding: .utf8)
    }

    /// The blocks of a language, in their order, each at the line that it has in the document.
    ///
    /// - Parameter isIncluded: Returns whether a block is included. The lines of other blocks are empty.
    func blocks(_ language: String, where isIncluded: (String) -> Bool = { _ in true }) -> String {
        var isInside = false
        var (lines, block): ([String], [String]) = ([], [])
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                let isKept = isInside && isIncluded(block.joined(separator: "\n"))
                lines += isKept ? block : block.map { _ in "" }
                lines.append("")
                block = []
                isInside = line == "```\(language)"
            } else if isInside {
                block.append(String(line))
            } else {
                lines.append("")
            }
        }
        return lines.joined(separator: "\n")
    }

    /// The destinations of its links: URLs, paths and headings. DocC checks its own, which begin with `doc:`.
    var links: [String] {
        text.matches(of: /\]\(([^)\s]+)\)/).map { String($0.1) }.filter { !$0.hasPrefix("doc:") }
    }

    /// The pages of the documentation catalog that it links to, as `<doc:Page>`.
    var pageLinks: [String] { text.matches(of: /<doc:([^>#]+)(?:#[^>]*)?>/).map { String($0.1) } }

    /// The names of the pages of the documentation catalog.
    static func pages() throws -> Set<String> {
        let catalog = root.appending(path: "Sources/Sworm/Sworm.docc")
        let paths = try FileManager.default.subpathsOfDirectory(atPath: catalog.path)
        return Set(
            paths.map { URL(filePath: $0) }.filter { ["md", "tutorial"].contains($0.pathExtension) }
                .map { $0.deletingPathExtension().lastPathComponent })
    }

    /// The README, and the guides of the documentation catalog.
    static var paths: [String] {
        let catalog = "Sources/Sworm/Sworm.docc"
        let names = try? FileManager.default.contentsOfDirectory(atPath: root.appending(path: catalog).path)
        return ["README.md"] + (names ?? []).filter { $0.hasSuffix(".md") }.sorted().map { "\(catalog)/\($0)" }
    }

    /// The headings, in the form in which links refer to them.
    var anchors: Set<String> {
        Set(
            text.split(separator: "\n").filter { $0.hasPrefix("#") }.map { line in
                let title = line.drop { $0 == "#" || $0 == " " }.lowercased()
                return "#" + title.filter { $0.isLetter || $0.isNumber || "- _".contains($0) }.replacing(" ", with: "-")
            })
    }
}

@Suite("The README")
struct ReadmeTests {
    @Test(.enabled(if: SnippetCompiler.found != nil, "the compiler or the built modules were not found"))
    func `its code compiles, each block on top of those before it`() throws {
        let compiler = try #require(SnippetCompiler.found)
        let code = try Document("README.md").blocks("swift")
        #expect(code.contains("ManagedObjectConvertible") && code.contains("schedule"))
        #expect(try compiler.diagnostics(of: ["main": code], stage: .dataFlow) == [:])
    }

    @Test(.enabled(if: SnippetCompiler.found != nil, "the compiler or the built modules were not found"))
    func `code that is wrong would be found`() throws {
        let compiler = try #require(SnippetCompiler.found)
        let code = try Document("README.md").blocks("swift").replacing("$0.year > 1800", with: "$0.yaer > 1800")
        #expect(try compiler.diagnostics(of: ["main": code], stage: .types) != [:])
    }

    @Test(
        .enabled(if: SnippetCompiler.found != nil, "the compiler or the built modules were not found"),
        arguments: [
            ("ChangingYourModel", "MigrationPlan"),
            ("Concurrency", "retrying"),
            ("DeclaringModels", "UniquenessConstraint"),
            ("Durability", "shrink"),
            ("FromAnExistingApp", "@Managed"),
            ("FromCoreData", "newBackgroundContext"),
            ("FrozenVersions", "ReleaseLedger"),
            ("FromSwiftData", "upsert"),
            ("FromSworm1", "uniquenessViolation"),
            ("GettingStarted", "perform"),
            ("History", "deleteHistory"),
            ("LookingIntoAStore", "StoredModel"),
            ("MirroredStores", "SwormWritesMirroredStoresOption"),
            ("OnAServer", "ConditionAllowList"),
            ("Speed", "expectStatements"),
            ("Testing", "ReleaseLedger"),
            ("Troubleshooting", "uniquenessViolation"),
            ("Conditions", "ConditionAllowList"),
            ("Reading", "grouped"),
            ("Writing", "upsert"),
            ("Errors", "openingFailure"),
            ("Cookbook", "TestStore"),
            ("LiveData", "lists"),
            ("ChangeFeeds", "acknowledge"),
            ("Editing", "EditingContext"),
            ("Syncing", "ChangeBundle"), ("Trees", "ManagedTreeConvertible"),
        ])
    func `the code of the guides compiles`(guide: String, word: String) throws {
        let compiler = try #require(SnippetCompiler.found)
        let code = try Document("Sources/Sworm/Sworm.docc/\(guide).md").blocks("swift")
        #expect(code.contains(word))
        #expect(try compiler.diagnostics(of: ["main": code], stage: .dataFlow) == [:])
    }

    @Test(
        .enabled(
            if: SnippetCompiler.found?.hasModule("SwiftUI") ?? false, "views are compiled against the stand-ins only"))
    func `the code of the guide about views compiles`() throws {
        let compiler = try #require(SnippetCompiler.found)
        let code = try Document("Sources/Sworm/Sworm.docc/Views.md").blocks("swift")
        #expect(code.contains("@SectionedLive"))
        #expect(try compiler.diagnostics(of: ["main": code], stage: .dataFlow) == [:])
    }

    @Test(arguments: Document.paths)
    func `its links work`(path: String) throws {
        let document = try Document(path)
        let pages = try Document.pages()
        #expect(pages.count > 20)
        for page in document.pageLinks { #expect(pages.contains(page), "\(path): <doc:\(page)>") }
        for link in document.links where !link.contains("://") {
            if link.hasPrefix("#") {
                #expect(document.anchors.contains(link), "\(path): \(link)")
            } else {
                let target = document.url.deletingLastPathComponent().appending(path: link)
                #expect(FileManager.default.fileExists(atPath: target.path), "\(path): \(link)")
            }
        }
    }

    @Test func `the rooms that the page of the architecture names exist`() throws {
        let page = try Document("Sources/Sworm/Sworm.docc/Architecture.md").text
        let sources = Document.root.appending(path: "Sources")
        let rooms = page.matches(of: /`((?:Sworm\w*|OpenCoreData)\/[\w\/]+)`/).map { String($0.1) }
        #expect(rooms.count > 20)
        for room in rooms {
            #expect(FileManager.default.fileExists(atPath: sources.appending(path: room).path), "\(room)")
        }
    }

    @Test func `every difference names tests that there are`() throws {
        let document = try Document("Sources/Sworm/Sworm.docc/Differences.md")
        var tests: [String: String] = [:]
        let folder = Document.root.appending(path: "Tests")
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        where path.hasSuffix("Tests.swift") {
            let name = URL(filePath: path).deletingPathExtension().lastPathComponent
            tests[name, default: ""] += try String(contentsOf: folder.appending(path: path), encoding: .utf8)
        }
        let sections = document.text.split(separator: "\n### ").dropFirst()
        #expect(sections.count > 20)
        for section in sections {
            let title = section.prefix { $0 != "\n" }
            let named = section.matches(of: /_Test: `(\w+)`, “([^”]+)”_/)
            #expect(!named.isEmpty, "\(title) names no test")
            for test in named {
                let source = tests[String(test.1)] ?? ""
                #expect(source.contains("func `\(test.2)`"), "\(title): \(test.1), \(test.2)")
            }
        }
    }
}
