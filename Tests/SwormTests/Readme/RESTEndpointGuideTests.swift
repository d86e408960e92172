import Foundation
import Testing

/// The guide to a REST endpoint quotes a server that is built and tested on its own.
@Suite("The guide to a REST endpoint")
struct RESTEndpointGuideTests {
    /// The source files of the server, each with its lines in a form that does not depend on indentation.
    private func sources() throws -> [String] {
        let folder = Document.root.appending(path: "Tests/Examples/Server/Sources")
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
        return try paths.map { lines(of: try String(contentsOf: folder.appending(path: $0), encoding: .utf8)) }
    }

    private func lines(of text: String) -> String {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
            .joined(separator: "\n")
    }

    /// The blocks of Swift of the guide.
    private func blocks() throws -> [String] {
        let text = try Document("Sources/Sworm/Sworm.docc/RESTEndpoint.md").text
        return text.matches(of: /```swift\n([^`]*(?:`[^`]+`[^`]*)*?)\n```/).map { String($0.1) }
    }

    @Test func `each of its blocks is a part of the server`() throws {
        let (blocks, sources) = (try blocks(), try sources())
        #expect(blocks.count > 10 && sources.count > 10)
        for block in blocks {
            let wanted = lines(of: block)
            #expect(sources.contains { $0.contains(wanted) }, "\(block)")
        }
    }

    @Test func `its routes are those of the server`() throws {
        let guide = try Document("Sources/Sworm/Sworm.docc/RESTEndpoint.md").text
        let routes = try String(
            contentsOf: Document.root.appending(path: "Tests/Examples/Server/Sources/Server/Routes/BookRoutes.swift"),
            encoding: .utf8)
        for method in ["get", "put", "patch", "delete"] {
            #expect(routes.contains(".\(method)(\":isbn\""))
            #expect(guide.contains("`\(method.uppercased()) /books/{isbn}`"))
        }
        #expect(routes.contains("get(\"live\"") && guide.contains("`GET /books/live"))
    }
}
