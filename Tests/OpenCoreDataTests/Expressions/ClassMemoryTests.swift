import Foundation
import Testing

@testable import OpenCoreData

@Suite("Objects without initializers") struct ClassMemoryTests {
    @Test func `Foundation's classes have no properties that zeros are invalid for`() throws {
        // By their names: the compiler calls some of the classes deprecated on Linux.
        let expression: AnyClass = try #require(NSClassFromString("NSExpression"))
        let comparison: AnyClass = try #require(NSClassFromString("NSComparisonPredicate"))
        let predicate: AnyClass = try #require(NSClassFromString("NSPredicate"))
        #expect(ClassMemory.size(of: expression) == ClassMemory.header)
        #expect(ClassMemory.size(of: comparison) == ClassMemory.size(of: predicate))
    }
}
