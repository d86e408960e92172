import Foundation
@testable import OpenCoreData
import Testing

@testable import SwormCommand

@Suite("Strings in written models")
struct ModelTextTests {
    /// A model of one entity, with a default text and with version identifiers, of which all but one are a comment.
    private func model(_ text: String, identifiers: [String] = []) -> NSManagedObjectModel {
        let attribute = NSAttributeDescription()
        attribute.name = "name"
        attribute.attributeType = .stringAttributeType
        attribute.defaultValue = text
        let entity = NSEntityDescription()
        entity.name = "Tag"
        entity.properties = [attribute]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        model.versionIdentifiers = Set(identifiers.map(AnyHashable.init))
        return model
    }

    private func readAgain(_ model: NSManagedObjectModel) throws -> NSManagedObjectModel {
        let workshop = try Workshop()
        try workshop.write(ModelXMLWriter.text(model), model: "Again")
        return try NSManagedObjectModel.load(contentsOf: workshop.url("Again.xcdatamodel"))
    }

    @Test func `control characters, which XML cannot have, leave a file that can be read`() throws {
        let scalars =
            (0..<0x20).compactMap { Unicode.Scalar($0 as UInt32) } + ["\u{7F}", "\u{FFFE}", "\u{FFFF}", "é", "😀"]
        for scalar in scalars {
            let again = try readAgain(model("a\(scalar)b"))
            let text = again.entitiesByName["Tag"]?.attributesByName["name"]?.defaultValue as? String
            let kept = ["\t", "\n", "\r", "\u{7F}", "é", "😀"].contains(scalar)
            #expect(text == (kept ? "a\(scalar)b" : "a\u{FFFD}b"), "\(scalar.value)")
        }
    }

    @Test(arguments: [
        "a--b", "---", "-", "-\u{301}-\u{301}", "--\u{301}-", "a\u{1}\u{0}b", "--><entity/>", "é\n",
        "<?a?>", "<!DOCTYPE a>", "<!ENTITY",
    ])
    func `a comment can contain any string, and the file can be read`(text: String) throws {
        let again = try readAgain(model("x", identifiers: ["1", "2 " + text]))
        #expect(again.entities.map(\.name) == ["Tag"])
    }
}
