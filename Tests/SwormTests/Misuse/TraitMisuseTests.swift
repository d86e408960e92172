#if !PostgreSQL || canImport(CoreData)
import TestSupport
import Testing

@Suite(
    "A store on a server without the trait, and over Core Data",
    .enabled(if: SnippetCompiler.found != nil, "the compiler or the built modules were not found"))
struct TraitMisuseTests {
    @Test func `the error says what to write`() throws {
        let address = #""postgres://shop@db/shop""#
        #if PostgreSQL
        let reason = "Core Data, which Sworm uses on this platform, has no stores on servers."
        let uses = [
            ("an address", "'postgres'", "_ = try PersistentContainer(for: Book.self, at: .postgres(\(address)))"),
            ("a configuration", "'PostgresConfiguration'", "_ = PostgresConfiguration.self"),
        ]
        #else
        let reason =
            #"Sworm is built without its trait PostgreSQL. Write traits: ["PostgreSQL"] in the package dependency."#
        let uses = [
            ("an address", "'postgres'", "_ = try PersistentContainer(for: Book.self, at: .postgres(\(address)))")
        ]
        #endif
        let cases = uses.map { Misuse($0.0, $0.2, expected: "error: \($0.1) is unavailable: \(reason)") }
        for (misuse, said) in try Misuse.check(cases, models: snippetModels, stage: .types) {
            #expect(said.contains { $0.contains(misuse.expected) }, "\(said)")
        }
    }
}
#endif
