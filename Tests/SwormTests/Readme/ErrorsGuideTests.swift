import Foundation
import Sworm
import Testing

@Suite("The guide to errors")
struct ErrorsGuideTests {
    @Test func `every code is in a table of it`() throws {
        let guide = try Document("Sources/Sworm/Sworm.docc/Errors.md")
        let rows = names(linkedIn: guide.text).split(separator: "\n").filter { $0.hasPrefix("| `") }
        let codes = try declaredNames(of: #"(?:Code|Self)\("\w+"\)"#) { path, text in
            path.hasSuffix("/StoreError.swift") || text.contains("extension StoreError.Code")
        }
        #expect(codes.count > 25)
        for code in codes { #expect(rows.contains { $0.hasPrefix("| `\(code)` |") }, "\(code)") }
    }

    @Test func `every reason why a store does not open is in a table of it`() throws {
        let guide = try Document("Sources/Sworm/Sworm.docc/Errors.md")
        let reasons = try declaredNames(of: #"Self\("\w+"\)"#) { $1.contains("struct StoreOpeningFailure") }
        #expect(reasons.count == 7)
        let text = names(linkedIn: guide.text)
        for reason in reasons { #expect(text.contains("\n| `\(reason)` |"), "\(reason)") }
    }

    /// The text with the names of symbols in place of the links to them.
    private func names(linkedIn text: String) -> String {
        text.replacing(/``(?:\w+\/)*(\w+)``/) { "`\($0.output.1)`" }
    }

    /// The static constants with a value of a form, in the files that a closure accepts by their path and text.
    private func declaredNames(
        of value: String, where isIncluded: (_ path: String, _ text: String) -> Bool
    ) throws -> [String] {
        let sources = Document.root.appending(path: "Sources")
        let constant = try Regex("static let (\\w+) = \(value)", as: (Substring, Substring).self)
        var names: [String] = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: sources.path) where path.hasSuffix(".swift") {
            let text = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
            if isIncluded("/" + path, text) { names += text.matches(of: constant).map { String($0.1) } }
        }
        return names
    }
}
