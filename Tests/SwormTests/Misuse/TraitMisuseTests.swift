#if !PostgreSQL
import TestSupport
import Testing

@Suite(
    "A store on a server without the trait",
    .enabled(if: SnippetCompiler.found != nil, "the compiler or the built modules were not found"))
struct TraitMisuseTests {
    @Test func `the error says what to write`() throws {
        let address = #""postgres://shop@db/shop""#
        let cases = [
            Misuse(
                "an address", "_ = try PersistentContainer(for: Book.self, at: .postgres(\(address)))",
                expected:
                    #"error: 'postgres' is unavailable: Sworm is built without its trait PostgreSQL. Write traits: ["PostgreSQL"] in the package dependency."#
            )
        ]
        for (misuse, said) in try Misuse.check(cases, models: snippetModels, stage: .types) {
            #expect(said.contains { $0.contains(misuse.expected) }, "\(said)")
        }
    }
}
#endif
