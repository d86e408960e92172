import Foundation
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("XML documents")
struct XMLTreeTests {
    private func refusal(_ data: Data) -> String? {
        do {
            _ = try XMLTree.parse(data, file: "f")
            return nil
        } catch let error as CoreDataError {
            return error.message
        } catch {
            return "\(error)"
        }
    }

    private func refusal(_ text: String) -> String? { refusal(Data(text.utf8)) }

    @Test func `elements keep their attributes, lines and order`() throws {
        let text =
            "<?xml version='1.0' encoding='utf-8'?>\n<!-- c --><a x=\"1 &amp; &#x41;\">\n text <b/>\n<c y='2'><b z=''/></c></a>"
        let root = try XMLTree.parse(Data(text.utf8), file: "f")
        #expect(root.name == "a" && root.attributes == ["x": "1 & A"] && root.line == 2)
        #expect(root.children.map(\.name) == ["b", "c"])
        #expect(root.children.map(\.line) == [3, 4])
        #expect(root.children(named: "c").first?.children.first?.attributes == ["z": ""])
    }

    @Test func `entities, internal and external, are rejected before they are parsed`() {
        var bomb = "<?xml version=\"1.0\"?>\n<!DOCTYPE lolz [<!ENTITY l0 \"lol\">"
        for level in 1...9 { bomb += "<!ENTITY l\(level) \"\(String(repeating: "&l\(level - 1);", count: 10))\">" }
        bomb += "]>\n<model>&l9;</model>"
        #expect(
            refusal(bomb) == "f:2: The file has a document type or an entity, which is not allowed in a model file.")
        let external = "<!DOCTYPE model [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><model a=\"&x;\"/>"
        #expect(refusal(external)?.contains("has a document type") == true)
        #expect(
            refusal("<!DOCTYPE model SYSTEM \"http://example.org/a.dtd\"><model/>")?.contains("document type") == true)
    }

    /// Foundation's parser crashes on an instruction without text.
    @Test(arguments: [
        "<?xml?><a/>", "<?a?><b/>", "<?xml version=\"1.0\"?><a>\n<?b?></a>", "<?xml version='1.0'?><?c d?><a/>",
    ])
    func `processing instructions are rejected before they are parsed`(text: String) {
        #expect(refusal(text)?.contains("has a processing instruction") == true)
    }

    @Test func `a declaration is not a processing instruction`() throws {
        for text in ["<?xml version=\"1.0\"?><a/>", "\u{FEFF}<?xml version=\"1.0\"?>\n<a/>", "<a/>"] {
            #expect(try XMLTree.parse(Data(text.utf8), file: "f").name == "a")
        }
    }

    @Test func `other encodings are rejected`() throws {
        let text = "<?xml version=\"1.0\" encoding=\"UTF-16\"?><model/>"
        #expect(refusal(try #require(text.data(using: .utf16)))?.contains("is not encoded in UTF-8") == true)
        #expect(refusal(text)?.contains("declares the encoding 'UTF-16'") == true)
        #expect(refusal("<?xml version='1.0' encoding='UTF-7'?>+ADw-!DOCTYPE")?.contains("'UTF-7'") == true)
        #expect(refusal(Data([0x3C, 0xFF, 0xFE]))?.contains("is not encoded in UTF-8") == true)
    }

    @Test func `broken documents are reported with their line`() {
        #expect(refusal("<a>\n<b>\n</a>")?.hasPrefix("f:3: The file is not well-formed XML") == true)
        for text in [
            "", "   ", "text", "<a", "<a><b></b>", "<a/><b/>", "<a x=1/>", "<a x='1' x='2'/>", "<a>\0</a>",
            "<a>&x;</a>",
        ] {
            #expect(refusal(text)?.contains("is not well-formed XML") == true, "\(text)")
        }
    }

    @Test func `depth and number of elements are bounded`() {
        func nested(_ depth: Int) -> String {
            String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        }
        #expect(refusal(nested(ModelLimits.elementDepth)) == nil)
        #expect(refusal(nested(ModelLimits.elementDepth + 1))?.contains("elements more than 64 deep") == true)
        #expect(refusal(nested(100_000))?.contains("elements more than 64 deep") == true)
        #expect(
            refusal("<a>\(String(repeating: "<b/>", count: 500_000))</a>")?.contains("more than 500000 elements")
                == true)
    }
}
