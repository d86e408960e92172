import Foundation
import Testing

@Suite struct PublicNameTests {
    /// The names of the top level in the lists of public declarations that do not have Apple's prefix.
    private func ownNames() throws -> Set<String> {
        var names: Set<String> = []
        for target in ["OpenCoreData", "SwormStore"] {
            let list = Document.root.appending(path: "Tests/PublicAPI/\(target).txt")
            for line in try String(contentsOf: list, encoding: .utf8).split(separator: "\n") {
                let name = line.prefix { $0 != ":" && $0 != "." }
                // Core Data adds its codes to Foundation's error, too.
                if !name.hasPrefix("NS"), name != "CocoaError" { names.insert(String(name)) }
            }
        }
        return names
    }

    @Test func `the page of differences lists every public name that Core Data does not have`() throws {
        let page = try Document("Sources/Sworm/Sworm.docc/Differences.md").text
        let section = try #require(page.split(separator: "\n### ").first { $0.hasPrefix("Names that Core Data") })
        let listed = Set(section.matches(of: /\n\| `(\w+)` \|/).map { String($0.1) })
        #expect(try ownNames() == listed)
    }
}
