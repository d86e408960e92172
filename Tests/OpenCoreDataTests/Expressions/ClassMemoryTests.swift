import Foundation
import Testing

@testable import OpenCoreData

@Suite("Objects without initializers") struct ClassMemoryTests {
    @Test func `Foundation's classes have no properties that zeros are invalid for`() {
        #expect(ClassMemory.size(of: NSExpression.self) == ClassMemory.header)
        #expect(ClassMemory.size(of: NSComparisonPredicate.self) == ClassMemory.size(of: NSPredicate.self))
    }
}
