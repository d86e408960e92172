import TestSupport
import Testing

/// Times of the compiler. They are the best of several tries, because other work on the machine only adds to them.
@Suite(
    "How long the compiler takes", .serialized,
    .enabled(if: SnippetCompiler.found != nil, "the compiler or the built modules were not found"))
struct TypeCheckTimeTests {
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

    @Test(arguments: forms)
    func `a condition of 24 terms takes less than half a second`(form: Form) throws {
        let compiler = try #require(SnippetCompiler.found)
        let terms = (0..<24).map { ($0 == 0 ? "" : $0 % 3 == 0 ? " || " : " && ") + form.terms[$0 % form.terms.count] }
        let source = snippetModels + "\nfunc condition() { \(form.wrap(terms.joined())) }\n"
        let time = try best(of: 20, until: 500) { try compiler.slowestExpression(of: source) }
        print("\(form.testDescription), 24 terms: \(time) ms")
        #expect(time < 500)
    }

    @Test func `other people's expressions take at most three times as long with the import`() throws {
        let compiler = try #require(SnippetCompiler.found)
        let source = #"""
            func own(a: Int, b: Double, c: Bool, d: Int?, s: String, v: [Int]) -> Bool {
                a == 1 && b > 2 || !c && d != nil && "x" == s || v.count > 3 && v[0] == a && b * 2 + 1 > Double(a) / 3
                    && s.count < 10 || d == 4 && !v.isEmpty && v == [1, 2, 3]
            }
            """#
        var with = Int.max
        var without = Int.max
        for round in 0..<24 {
            with = min(with, try compiler.slowestExpression(of: "import Foundation\nimport Sworm\n" + source))
            without = min(without, try compiler.slowestExpression(of: "import Foundation\n" + source))
            if round >= 2, with <= 3 * without { break }
        }
        print("other people's 12 terms: \(with) ms with the import, \(without) ms without")
        #expect(with <= 3 * without)
    }

    /// The shortest of some times; stops early when one is below the limit.
    private func best(of tries: Int, until limit: Int, _ measure: () throws -> Int) throws -> Int {
        var best = Int.max
        for _ in 0..<tries where best >= limit { best = min(best, try measure()) }
        return best
    }
}
