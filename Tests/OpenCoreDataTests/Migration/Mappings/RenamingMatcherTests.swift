import SwormPredicates
import Testing

@Suite("Names and renaming identifiers of two versions")
struct RenamingMatcherTests {
    /// Things are written `name` or `name:identifier`. The result names the old thing of each new one, `-` for none, and
    /// then the identifiers about which there is a clash.
    private func match(_ old: String, _ new: String, fits: Bool = true) -> String {
        func items(_ text: String) -> [RenamingMatcher.Item] {
            text.split(separator: " ").map { word in
                let parts = word.split(separator: ":").map(String.init)
                return .init(name: parts[0], identifier: parts.count > 1 ? parts[1] : nil)
            }
        }
        let before = items(old)
        let matcher = RenamingMatcher(from: before, to: items(new)) { _, _ in fits }
        let sources = matcher.sources.map { $0.map { before[$0].name } ?? "-" }
        return (sources + matcher.clashes.map { "!" + $0.identifier }).joined(separator: " ")
    }

    @Test func `an unchanged name is matched with itself`() {
        #expect(match("a b", "b a c") == "b a -")
    }

    @Test func `an identifier is the old name, or one that both have`() {
        #expect(match("a", "b:a") == "a")
        #expect(match("b:a", "c:a") == "b")
        #expect(match("b:a", "c:b") == "b")
        #expect(match("b:a", "b:a") == "b")
    }

    @Test func `a chain of renamings holds from each version to each later one`() {
        let versions = ["color", "paint:color", "coat:color", "coat"]
        for (index, old) in versions.enumerated() {
            for new in versions.dropFirst(index + 1) where !(new == "coat" && old != "coat:color") {
                #expect(match(old, new) == old.split(separator: ":")[0], "\(old) to \(new)")
            }
        }
        #expect(match("paint:color", "coat:paint") == "paint")
        #expect(match("color", "coat:paint") == "-")
    }

    @Test func `renaming back finds the first name's identifier`() {
        #expect(match("b:a", "a") == "b")
    }

    @Test func `two things exchange their names`() {
        #expect(match("a b", "a:b b:a") == "b a")
    }

    @Test func `a name that is free again can be given to something new`() {
        #expect(match("b:a", "b:a a") == "b -")
        #expect(match("b:a a", "b:a a") == "b a")
        #expect(match("a", "b:a a:second") == "a -")
    }

    @Test func `an identifier that finds nothing leaves the name to decide, where the values fit`() {
        #expect(match("b", "b:a") == "b")
        #expect(match("b", "b:a", fits: false) == "-")
    }

    @Test func `a name that another claims is not taken as well`() {
        #expect(match("b", "b:a c:b") == "- b")
    }

    @Test func `two names that claim one, and one name that may be two, are ambiguous`() {
        #expect(match("a", "a b:a") == "a - !a")
        #expect(match("a", "b:a c:a") == "- - !a")
        #expect(match("b:a", "b:a c:a") == "b - !a")
        #expect(match("b:a c:a", "d:a") == "- !a")
        #expect(match("x:a", "b:a c:x") == "x - !x")
        #expect(match("b:a", "b:a c:b") == "b - !b")
    }

    @Test func `one of two with the same identifier is found by its name`() {
        #expect(match("b:a c:a", "c:a b:a") == "c b")
    }
}
