import Foundation
import OpenCoreData
import Testing

/// A file that imports Foundation before the engine: its names are those of Foundation's classes.
@Suite("Expressions in a file that imports Foundation")
struct FoundationImportTests {
    @available(*, deprecated)
    @Test func `expressions and comparisons are created as in a file that imports the engine alone`() {
        let sum: NSExpression = NSExpression(format: "price + %@", 2)
        #expect(sum.expressionType == NSExpression.ExpressionType.function)
        let property = NSExpressionDescription()
        property.expression = NSExpression(forFunction: "max:", arguments: [NSExpression(forKeyPath: "year")])
        #expect("\(String(describing: property.expression))".contains("max:(year)"))
        let predicate: NSComparisonPredicate = NSComparisonPredicate(
            leftExpression: sum, rightExpression: NSExpression(forConstantValue: 7), modifier: .direct, type: .lessThan,
            options: [])
        #expect(predicate.evaluate(with: 3) == false && predicate.description == "price + 2 < 7")
        let any: Any = sum
        #expect(any is NSExpression && any as? NSExpression === sum)
    }
}
