import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Comparisons of expressions", .overEachStore)
struct ComparisonPredicateTests {
    private func compare(
        _ left: NSExpression, _ type: _FoundationNames.Operator, _ right: NSExpression,
        _ modifier: _FoundationNames.Modifier = .direct, _ options: _FoundationNames.Options = []
    ) -> NSComparisonPredicate {
        NSComparisonPredicate(
            leftExpression: left, rightExpression: right, modifier: modifier, type: type, options: options)
    }

    private let title = NSExpression(forKeyPath: "title")

    @Test func `each operator compiles to the SQL of its format`() throws {
        let year = NSExpression(forKeyPath: "year")
        let (three, text) = (NSExpression(forConstantValue: 3), NSExpression(forConstantValue: "a"))
        let list = NSExpression(forAggregate: [1, 5])
        let cases: [(NSComparisonPredicate, String)] = [
            (compare(year, .lessThan, three), "year < 3"), (compare(year, .lessThanOrEqualTo, three), "year <= 3"),
            (compare(year, .greaterThan, three), "year > 3"),
            (compare(year, .greaterThanOrEqualTo, three), "year >= 3"), (compare(year, .equalTo, three), "year == 3"),
            (compare(year, .notEqualTo, three), "year != 3"), (compare(title, .like, text), "title LIKE 'a'"),
            (compare(title, .matches, text), "title MATCHES 'a'"),
            (compare(title, .beginsWith, text, .direct, [.caseInsensitive]), "title BEGINSWITH[c] 'a'"),
            (
                compare(title, .endsWith, text, .direct, [.caseInsensitive, .diacriticInsensitive]),
                "title ENDSWITH[cd] 'a'"
            ),
            (compare(title, .contains, text, .direct, [.normalized]), "title CONTAINS[n] 'a'"),
            (compare(year, .in, list), "year IN {1, 5}"), (compare(year, .between, list), "year BETWEEN {1, 5}"),
            (
                compare(NSExpression(forKeyPath: "chapters.pages"), .greaterThan, three, .any),
                "ANY chapters.pages > 3"
            ),
            (
                compare(NSExpression(forKeyPath: "chapters.pages"), .greaterThan, three, .all),
                "ALL chapters.pages > 3"
            ),
            (
                compare(
                    NSExpression(format: "modulus:by:(year, 2)"), .equalTo, NSExpression(format: "chapters.@count")),
                "modulus:by:(year, 2) == chapters.@count"
            ),
        ]
        for (predicate, format) in cases {
            var request = try LibraryQueries.request()
            request.predicate = try predicate.tree()
            let made = try LibraryQueries.compiler.identities(request)
            let written = try LibraryQueries.compiler.identities(LibraryQueries.request("Book", format))
            #expect(made == written, "\(format)")
            let again = compare(
                predicate.leftExpression, predicate.predicateOperatorType, predicate.rightExpression,
                predicate.comparisonPredicateModifier, predicate.options)
            #expect(try again.tree() == predicate.tree(), "\(format)")
        }
        let canonical = compare(NSExpression(forFunction: "canonical:", arguments: [title]), .equalTo, text)
        var request = try LibraryQueries.request()
        request.predicate = try canonical.tree()
        #expect(
            try LibraryQueries.compiler.identities(request).sql
                == "SELECT t0.Z_ENT, t0.Z_PK FROM ZBOOK t0 WHERE SwormFold(t0.ZTITLE, 3) = ?1 ORDER BY t0.Z_PK")
    }

    @Test func `the parts of a comparison can be read`() {
        let predicate = compare(
            NSExpression(forKeyPath: "tags.name"), .contains, NSExpression(forConstantValue: "x"), .any,
            [.caseInsensitive])
        #expect(predicate.leftExpression.keyPath == "tags.name")
        #expect(predicate.rightExpression.constantValue as? String == "x")
        #expect(predicate.predicateOperatorType == .contains && predicate.comparisonPredicateModifier == .any)
        #expect(predicate.options.contains(.caseInsensitive) && !predicate.options.contains(.diacriticInsensitive))
        #expect(predicate.description == "ANY tags.name CONTAINS[c] \"x\"")
        #expect(predicate.copy() as? NSComparisonPredicate === predicate)
    }

    @Test func `a comparison selects objects in a fetch, in a compound and in memory`() throws {
        let context = try GraphLibrary.context()
        for (index, title) in ["War", "Peace", "Ärger"].enumerated() {
            try context.make("Book", ["title": title, "year": 1860 + index])
        }
        try context.save()
        try context.make("Book", ["title": "WAR", "year": 9])
        let isWar = compare(title, .equalTo, NSExpression(forConstantValue: "war"), .direct, [.caseInsensitive])
        let isLate = compare(NSExpression(forKeyPath: "year"), .greaterThan, NSExpression(forConstantValue: 1860))
        func found(_ predicate: NSPredicate) throws -> [String] {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = predicate
            let found = try context.fetch(request)
            #expect(found == (try context.all("Book")).filter { predicate.evaluate(with: $0) })
            return found.compactMap { $0.text("title") }
        }
        #expect(try found(isWar) == ["War", "WAR"])
        #expect(try found(NSCompoundPredicate(notPredicateWithSubpredicate: isWar)) == ["Peace", "Ärger"])
        #expect(
            try found(
                NSCompoundPredicate(andPredicateWithSubpredicates: [isLate, NSPredicate(format: "title != 'x'")]))
                == ["Peace", "Ärger"])
        let canonical = NSExpression(forFunction: "canonical:", arguments: [title])
        #expect(try found(compare(canonical, .equalTo, NSExpression(forConstantValue: "arger"))) == ["Ärger"])
        let variable = compare(title, .equalTo, NSExpression(forVariable: "title"))
        let first = try #require(try context.all("Book").first)
        #expect(variable.evaluate(with: first, substitutionVariables: ["title": "War"]))
        #expect(!variable.evaluate(with: first, substitutionVariables: ["title": "Peace"]))
        #expect(
            compare(.expressionForEvaluatedObject(), .lessThan, NSExpression(forConstantValue: 4)).evaluate(with: 3))
        #expect(
            try found(NSPredicate(format: "%@ > 1860 AND title != %@", NSExpression(forKeyPath: "year"), "Peace"))
                == ["Ärger"])
    }

    @Test func `what cannot be compared is an error of the fetch`() throws {
        let context = try GraphLibrary.context()
        func message(_ predicate: NSPredicate) -> String {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = predicate
            return coreDataError { _ = try context.fetch(request) }?.message ?? ""
        }
        #expect(message(compare(NSExpression(format: "title +"), .equalTo, title)).contains("expected a value"))
        #expect(message(compare(title, .between, NSExpression(forAggregate: [1]))).contains("BETWEEN"))
        #expect(message(compare(title, .equalTo, NSExpression(forConstantValue: 7))).contains("title"))
        #expect(message(compare(NSExpression(forKeyPath: "titel"), .equalTo, title)).contains("titel"))
        let block = NSExpression(block: { _, _, _ in NSNull() }, arguments: nil)
        #expect(message(compare(title, .equalTo, block)).contains("block"))
    }
}
