import TestSupport
import Testing

/// What the compiler has to look at. Its time follows from that, and depends on the machine as well.
@Suite(
    "How much the compiler has to try",
    .enabled(if: SnippetCompiler.found != nil, "the compiler or the built modules were not found"))
struct TypeCheckEffortTests {
    struct Form: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let terms: [String]
        let wrap: @Sendable (String) -> String
    }

    static let forms = [
        Form(
            testDescription: "rooted key paths",
            terms: [
                #"\Book.year > 3"#, #"\Book.title == "x""#, #"\Book.rating == nil"#, #"\Book.status != .draft"#,
                #"\Book.subtitle != "y""#, #"\Book.rating < 8"#,
            ], wrap: { "let condition = \($0); _ = condition" }),
        Form(
            testDescription: "rootless key paths",
            terms: [
                #"\.year > 3"#, #"\.title == "x""#, #"\.rating == nil"#, #"\.status != .draft"#, #"\.subtitle != "y""#,
                #"\.rating < 8"#,
            ], wrap: { "_ = Book.all.where(\($0))" }),
        Form(
            testDescription: "key paths with text and lists",
            terms: [
                #"\Book.year > 3"#, #"!"foo == 1""#, #"(\Book.rating == nil || \Book.rating == 2)"#,
                #"Query.beginsWith(\Book.title, "x")"#, #"\Book.year === [1, 2, 3]"#, #"\Book.subtitle != "y""#,
            ], wrap: { "let condition = \($0); _ = condition" }),
        Form(
            testDescription: "the closure form",
            terms: [
                "$0.year > 3", #"$0.author.name == "x""#, "$0.rating == nil", "$0.reviews.any.mark > 3",
                "$0.status == .draft", #"!$0.title.contains("x")"#, "$0.year - $0.author.year > 40",
                "$0.reviews.filter { $0.mark == 5 }.count > 1",
            ], wrap: { "_ = Book.all.where { \($0) }" }),
    ]

    /// The compiler gives up after a million scopes, and goes through ten thousand in less than half a second.
    @Test(arguments: forms)
    func `a condition of 24 terms takes few tries`(form: Form) throws {
        let compiler = try #require(SnippetCompiler.found)
        func scopes(_ count: Int) throws -> Int {
            let terms = (0..<count).map { place in
                (place == 0 ? "" : place % 3 == 0 ? " || " : " && ") + form.terms[place % form.terms.count]
            }
            return try compiler.solverScopes(
                of: snippetModels + "\nfunc condition() { \(form.wrap(terms.joined())) }\n")
        }
        let half = try scopes(12)
        let whole = try scopes(24)
        print("\(form.testDescription): \(half) scopes for 12 terms, \(whole) for 24")
        #expect(whole < 10_000)
        // Not more than with the number of terms.
        #expect(whole <= 3 * half)
    }

    @Test func `other people's expressions take at most six times as many tries with the import`() throws {
        let compiler = try #require(SnippetCompiler.found)
        let source = #"""
            func own(a: Int, b: Double, c: Bool, d: Int?, s: String, v: [Int]) -> Bool {
                a == 1 && b > 2 || !c && d != nil && "x" == s || v.count > 3 && v[0] == a && b * 2 + 1 > Double(a) / 3
                    && s.count < 10 || d == 4 && !v.isEmpty && v == [1, 2, 3]
            }
            """#
        let with = try compiler.solverScopes(of: "import Foundation\nimport Sworm\n" + source)
        let without = try compiler.solverScopes(of: "import Foundation\n" + source)
        print("other people's 12 terms: \(with) scopes with the import, \(without) without")
        #expect(with <= 6 * without)
    }
}
