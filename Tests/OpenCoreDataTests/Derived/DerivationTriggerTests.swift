import Foundation
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite struct DerivationTriggerTests {
    @Test func `a count and a path have Core Data's triggers, and other forms none`() throws {
        let statements = StoreSchema(model: try DerivedLibrary.model().compiled()).statements()
            .filter { $0.hasPrefix("CREATE TRIGGER") }
        let names = statements.compactMap { $0.split(separator: " ").dropFirst(2).first.map(String.init) }
        #expect(
            names == [
                "Z_DA_ZBOOK_Author_bookCount_PARAMETER_INSERT",
                "Z_DA_ZBOOK_Author_bookCount_PARAMETER_UPDATE_INCREMENT",
                "Z_DA_ZBOOK_Author_bookCount_PARAMETER_UPDATE_DECREMENT",
                "Z_DA_ZBOOK_Author_bookCount_PARAMETER_DELETE", "Z_DA_ZAUTHOR_Author_bookCount_SOURCE_INSERT",
                "Z_DA_ZBOOK_Book_authorName_SOURCE_INSERT", "Z_DA_ZBOOK_Book_authorName_SOURCE_UPDATE",
                "Z_DA_ZAUTHOR_Book_authorName_PARAMETER_INSERT", "Z_DA_ZAUTHOR_Book_authorName_PARAMETER_UPDATE",
                "Z_DA_ZPAGE_Book_pageCount_PARAMETER_INSERT",
                "Z_DA_ZPAGE_Book_pageCount_PARAMETER_UPDATE_INCREMENT",
                "Z_DA_ZPAGE_Book_pageCount_PARAMETER_UPDATE_DECREMENT",
                "Z_DA_ZPAGE_Book_pageCount_PARAMETER_DELETE", "Z_DA_ZBOOK_Book_pageCount_SOURCE_INSERT",
            ])
    }

    /// The text that Apple's framework has written for the same derivation, in a store of another application.
    @Test func `the triggers of a path have Core Data's SQL`() throws {
        let node = Build.entity(
            "GraphNode", [Build.derived("primaryLabelCode", .integer32AttributeType, "primaryLabel.code")])
        let label = Build.entity("GraphLabel", [Build.attribute("code", .integer32AttributeType)])
        let (forth, back) = (Build.toOne("primaryLabel", label), Build.toMany("primaryLabelNodes", node))
        Build.connect(forth, back)
        node.properties.append(forth)
        label.properties.append(back)
        let statements = StoreSchema(model: try Build.model(node, label).compiled()).statements()
            .filter { $0.hasPrefix("CREATE TRIGGER") }
        #expect(
            statements == [
                "CREATE TRIGGER Z_DA_ZGRAPHNODE_GraphNode_primaryLabelCode_SOURCE_INSERT AFTER INSERT ON ZGRAPHNODE FOR EACH ROW BEGIN UPDATE ZGRAPHNODE SET ZPRIMARYLABELCODE = (SELECT ZCODE FROM ZGRAPHLABEL WHERE Z_PK = NEW.ZPRIMARYLABEL) WHERE Z_PK = NEW.Z_PK; SELECT NSCoreDataDATriggerInsertUpdatedAffectedObjectValue('ZGRAPHNODE', Z_ENT, Z_PK, 'primaryLabelCode', ZPRIMARYLABELCODE) FROM ZGRAPHNODE WHERE Z_PK = NEW.Z_PK; END",
                "CREATE TRIGGER Z_DA_ZGRAPHNODE_GraphNode_primaryLabelCode_SOURCE_UPDATE AFTER UPDATE OF ZPRIMARYLABEL ON ZGRAPHNODE FOR EACH ROW BEGIN UPDATE ZGRAPHNODE SET ZPRIMARYLABELCODE = (SELECT ZCODE FROM ZGRAPHLABEL WHERE Z_PK = NEW.ZPRIMARYLABEL) WHERE Z_PK = NEW.Z_PK; SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('ZGRAPHNODE', Z_ENT, Z_PK, 'primaryLabelCode', ZPRIMARYLABELCODE) FROM ZGRAPHNODE WHERE Z_PK = NEW.Z_PK; END",
                "CREATE TRIGGER Z_DA_ZGRAPHLABEL_GraphNode_primaryLabelCode_PARAMETER_INSERT AFTER INSERT ON ZGRAPHLABEL FOR EACH ROW BEGIN UPDATE ZGRAPHNODE SET ZPRIMARYLABELCODE = NEW.ZCODE WHERE ZPRIMARYLABEL = NEW.Z_PK; SELECT NSCoreDataDATriggerInsertUpdatedAffectedObjectValue('ZGRAPHNODE', Z_ENT, Z_PK, 'primaryLabelCode', ZPRIMARYLABELCODE) FROM ZGRAPHNODE WHERE ZPRIMARYLABEL = NEW.Z_PK; END",
                "CREATE TRIGGER Z_DA_ZGRAPHLABEL_GraphNode_primaryLabelCode_PARAMETER_UPDATE AFTER UPDATE OF ZCODE ON ZGRAPHLABEL FOR EACH ROW BEGIN UPDATE ZGRAPHNODE SET ZPRIMARYLABELCODE = NEW.ZCODE WHERE ZPRIMARYLABEL = NEW.Z_PK; SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('ZGRAPHNODE', Z_ENT, Z_PK, 'primaryLabelCode', ZPRIMARYLABELCODE) FROM ZGRAPHNODE WHERE ZPRIMARYLABEL = NEW.Z_PK; END",
            ])
    }
}
