import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Expressions", .overEachStore)
struct ExpressionTests {
    /// Every way to create an expression, with its text and its kind.
    private func all() -> [(NSExpression, String, _FoundationNames.ExpressionType)] {
        let (title, year) = (NSExpression(forKeyPath: "title"), NSExpression(forKeyPath: "author.age"))
        let seven = NSExpression(forConstantValue: 7)
        let list = NSExpression(forAggregate: [seven, 8, title])
        let isOld = NSPredicate(format: "year < 1900")
        return [
            (title, "title", .keyPath), (year, "author.age", .keyPath),
            (NSExpression(forKeyPath: "reviews.@max.mark"), "reviews.@max.mark", .keyPath),
            (seven, "7", .constantValue), (NSExpression(forConstantValue: nil), "nil", .constantValue),
            (NSExpression(forConstantValue: "a'b"), "\"a'b\"", .constantValue),
            (NSExpression(forConstantValue: [1, 2]), "{1, 2}", .constantValue),
            (NSExpression.expressionForEvaluatedObject(), "SELF", .evaluatedObject),
            (NSExpression(forVariable: "limit"), "$limit", .variable),
            (NSExpression(forFunction: "uppercase:", arguments: [title]), "uppercase:(title)", .function),
            (NSExpression(forFunction: "canonical:", arguments: [title]), "canonical:(title)", .function),
            (NSExpression(forFunction: "now", arguments: []), "now()", .function),
            (NSExpression(forFunction: "add:to:", arguments: [year, 1]), "author.age + 1", .function),
            (
                NSExpression(forFunction: "modulus:by:", arguments: [year, seven]), "modulus:by:(author.age, 7)",
                .function
            ),
            (list, "{7, 8, title}", .aggregate),
            (NSExpression(forUnionSet: list, with: list), "{7, 8, title} UNION {7, 8, title}", .unionSet),
            (NSExpression(forIntersectSet: list, with: title), "{7, 8, title} INTERSECT title", .intersectSet),
            (NSExpression(forMinusSet: title, with: list), "title MINUS {7, 8, title}", .minusSet),
            (
                NSExpression(forSubquery: title, usingIteratorVariable: "x", predicate: isOld),
                "SUBQUERY(title, $x, year < 1900)", .subquery
            ),
            (
                NSExpression(forConditional: isOld, trueExpression: title, falseExpression: seven),
                "TERNARY(year < 1900, title, 7)", .conditional
            ),
            (NSExpression(format: "price * %@ + %K", 2, "cost"), "(price * 2) + cost", .function),
            (NSExpression(format: "%K", argumentArray: ["author.name"]), "author.name", .keyPath),
            (
                NSExpression(
                    forFunction: NSExpression(forVariable: "source"), selectorName: "valueForKeyPath:",
                    arguments: ["author.name"]), "$source.author.name", .keyPath
            ),
        ]
    }

    @Test func `each initializer creates an expression of its kind`() throws {
        for (expression, text, kind) in all() {
            #expect(expression.description == text)
            #expect(expression.expressionType == kind, "\(text)")
            let again = NSExpression(format: text)
            #expect(try again.tree() == expression.tree(), "\(text)")
            #expect(expression.isEqual(again) && again.hash == expression.hash, "\(text)")
            #expect(expression.copy() as? NSExpression === expression)
            #expect(try expression.content.size.depth == TreeSize(expression.tree()).depth, "\(text)")
        }
    }

    @Test func `the parts of an expression can be read`() throws {
        let path = NSExpression(format: "$source.author.name")
        #expect(path.keyPath == "author.name" && path.operand.variable == "source")
        #expect(NSExpression(forConstantValue: Date(timeIntervalSince1970: 0)).constantValue is Date)
        let sum = NSExpression(format: "price + 2")
        #expect(sum.function == "add:to:" && sum.arguments?.map(\.description) == ["price", "2"])
        #expect(sum.arguments?[1].constantValue as? Int == 2)
        let call = NSExpression(forFunction: "max:", arguments: [NSExpression(forKeyPath: "year")])
        #expect(call.function == "max:" && call.arguments?.first?.keyPath == "year")
        #expect(NSExpression(format: "now()").function == "now")
        let list = NSExpression(forAggregate: [1, 2])
        #expect((list.collection as? [NSExpression])?.map { $0.constantValue as? Int } == [1, 2])
        let subquery = NSExpression(format: "SUBQUERY(books, $b, $b.year > 3)")
        #expect(subquery.variable == "b" && (subquery.collection as? NSExpression)?.keyPath == "books")
        #expect(subquery.predicate.description == "$b.year > 3")
        let choice = NSExpression(format: "TERNARY(a == 1, b, c)")
        #expect(choice.true.keyPath == "b" && choice.false.keyPath == "c" && choice.predicate.description == "a == 1")
        let set = NSExpression(format: "a UNION b")
        #expect(set.left.keyPath == "a" && set.right.keyPath == "b")
    }

    @Test func `an expression has a value for an object, a dictionary and a plain value`() throws {
        let context = try GraphLibrary.context()
        let author = try context.make("Author", ["name": "Leo", "age": 40])
        let book = try context.make("Book", ["title": "War", "year": 1869, "author": author])
        func value(_ format: String, _ object: Any?, _ variables: [String: Any] = [:]) -> Any? {
            NSExpression(format: format).expressionValue(
                with: object, context: NSMutableDictionary(dictionary: variables))
        }
        #expect(value("author.age + year", book) as? Int == 1909)
        #expect(value("uppercase:(title)", book) as? String == "WAR")
        #expect(value("author", book) as? NSManagedObject === author)
        #expect(value("year - $start", book, ["start": 1800]) as? Int == 69)
        #expect(value("$start", nil, ["start": author]) as? NSManagedObject === author)
        #expect(value("a.b * 2", ["a": ["b": 4]]) as? Int == 8)
        #expect(value("SELF + 1", 4) as? Int == 5)
        #expect(value("sum:({1, 2, 3.5})", nil) as? Double == 6.5)
        #expect(value("average:(SELF)", [1, 2, 6]) as? Double == 3)
        #expect((value("{1, title}", book) as? [Any])?.last as? String == "War")
        #expect(value("canonical:('Ärger')", nil) as? String == "arger")
        #expect(value("nothing + 1", book) == nil && value("title +", book) == nil && value("$missing", book) == nil)
    }

    @Test func `a block has a value of its own, and is an error in a request`() throws {
        let twice = NSExpression(
            block: { object, arguments, variables in
                let number = (arguments.first as? NSNumber)?.intValue ?? 0
                let factor = (variables?.object(forKey: NSString(string: "factor")) as? NSNumber)?.intValue ?? 1
                return NSNumber(value: (object as? Int ?? 0) + number * factor)
            }, arguments: [NSExpression(forConstantValue: 4)])
        #expect(twice.expressionType == .block && twice.arguments?.count == 1 && twice.expressionBlock != nil)
        let variables = NSMutableDictionary(dictionary: ["factor": 3])
        #expect(twice.expressionValue(with: 5, context: variables) as? Int == 17)
        let context = try GraphLibrary.context()
        let request = NSFetchRequest<NSDictionary>(entityName: "Book")
        request.resultType = .dictionaryResultType
        let property = NSExpressionDescription()
        (property.name, property.expression) = ("x", twice)
        request.propertiesToFetch = [property]
        #expect(coreDataError { _ = try context.fetch(request) }?.message.contains("block") ?? false)
    }

    @Test(arguments: [
        ("price +", "expected a value"), ("nothing:(x)", "nothing:"), ("", "ends"), ("a == 1", "is a predicate"),
        ("add:to:(a)", "two arguments"), ("x.@sum", "needs a key"),
    ])
    func `an error in a format is reported where the expression is used`(format: String, message: String) throws {
        let expression = NSExpression(format: format)
        let error = try #require(throws: QueryError.self) { _ = try expression.tree() }
        #expect(error.message.contains(message), "\(error)")
        #expect(expression.description.contains(message))
    }

    @Test func `a constant that no request accepts says so`() throws {
        let context = try GraphLibrary.context()
        let expression = NSExpression(forConstantValue: context)
        #expect(expression.constantValue as? NSManagedObjectContext === context)
        let error = try #require(throws: QueryError.self) { _ = try expression.tree() }
        #expect(error.message.contains("NSManagedObjectContext"))
        #expect(throws: QueryError.self) { _ = try NSExpression(forKeyPath: "a..b").tree() }
        #expect(throws: QueryError.self) { _ = try NSExpression(forFunction: "nothing:", arguments: [1]).tree() }
    }

    @Test func `expressions that are nested too deeply are errors where they are used`() throws {
        let title = NSExpression(forKeyPath: "title")
        func nested(_ wrap: (NSExpression) -> NSExpression) -> NSExpression {
            (0..<400).reduce(title) { inner, _ in wrap(inner) }
        }
        let deep = [
            nested { NSExpression(forFunction: "uppercase:", arguments: [$0]) },
            nested { NSExpression(forFunction: $0, selectorName: "valueForKeyPath:", arguments: ["a.b.c"]) },
            nested { NSExpression(forAggregate: [$0, 1]) }, nested { NSExpression(forUnionSet: $0, with: title) },
            nested { NSExpression(forConstantValue: $0) },
            nested { NSExpression(block: { _, _, _ in NSNull() }, arguments: [$0]) },
        ]
        for expression in deep {
            let error = try #require(throws: QueryError.self) { _ = try expression.tree() }
            #expect(error.code == .limit)
        }
        let shallow = (0..<200).reduce(title) { inner, _ in
            NSExpression(forFunction: "uppercase:", arguments: [inner])
        }
        #expect(shallow.function == "uppercase:")
    }

    @Test func `an expression that has each part twice is an error once it is too large`() throws {
        let year = NSExpression(forKeyPath: "year")
        func doubled(_ times: Int, by join: (NSExpression) -> NSExpression) -> NSExpression {
            (0..<times).reduce(year) { part, _ in join(part) }
        }
        let joins: [(NSExpression) -> NSExpression] = [
            { NSExpression(forFunction: "add:to:", arguments: [$0, $0]) },
            { NSExpression(block: { _, _, _ in NSNull() }, arguments: [$0, $0]) },
        ]
        for join in joins {
            for times in [19, 20] {
                let error = try #require(throws: QueryError.self) { _ = try doubled(times, by: join).tree() }
                #expect(error.code == .limit && error.message.contains("more than 1000000 parts"))
            }
            #expect(doubled(10, by: join).arguments?.count == 2)
        }
    }

    @Test func `thousands of expressions are created and released`() {
        weak var last: NSExpression?
        for index in 0..<5000 {
            let expression = NSExpression(
                forFunction: "add:to:", arguments: [NSExpression(forKeyPath: "a\(index)"), index])
            last = expression
            #expect(expression.arguments?.count == 2)
        }
        #expect(last == nil)
    }
}
