#if os(Linux)
import Foundation
import SwormPredicates
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("The function canonical()")
struct CanonicalFunctionTests {
    /// Foundation divides more than 60 marks that follow one letter, and the tables do not.
    private let text: String = {
        var scalars = String.UnicodeScalarView("\u{5D1}".unicodeScalars)
        for _ in 0..<80 { scalars.append("\u{591}") }
        scalars.append(contentsOf: "\u{5B0}\u{5B1}a".unicodeScalars)
        return String(scalars)
    }()

    @Test func `a condition folds by the tables, and a derived attribute by Foundation`() throws {
        #expect(!canonicalForm(of: text).utf8.elementsEqual(folded(text, options: .canonical).utf8))
        let context = try GraphLibrary.context(GraphLibrary.coordinator(model: DerivedLibrary.model()))
        let names = ["Émile", text]
        let authors = try names.map { try context.make("Author", ["name": $0]) }
        try context.save()
        func found(_ format: String) throws -> [String] {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
            request.predicate = NSPredicate(format: format, argumentArray: [text])
            return try context.fetch(request).compactMap { $0.value(forKey: "name") as? String }
        }
        for isChanged in [false, true] {
            // Changed objects are evaluated in memory, with the derived values that they have.
            if isChanged { for author in authors { author.setValue(author.value(forKey: "name"), forKey: "name") } }
            #expect(try found("canonical(name) == plainName") == ["Émile"])
            #expect(try found("canonical(name) == canonical(%@)") == [text])
            #expect(try found("name ==[cd] %@") == [text])
        }
    }
}
#endif
