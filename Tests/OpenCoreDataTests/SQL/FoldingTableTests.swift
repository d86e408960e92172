import Testing

@testable import SwormPredicates
@testable import SwormStore

/// The tables by which strings are folded. Databases contain indexes of folded strings, so that version 1 never
/// changes: if a test fails, the tables must be restored, and other ones become another version.
@Suite("Version 1 of the tables that fold strings")
struct FoldingTableTests {
    private func digest(_ values: some Sequence<UInt32>) -> String {
        let bytes = values.flatMap { value in (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
        return SHA2.sha256(bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test func `has the tables that it had`() {
        #expect(TextFolding.version == 1)
        #expect(
            digest(FoldingData.caseRuns) == "2b1d05417432e1e14dfaad43023fe333947e6aef46bf4c0a4a22350eff1788bd")
        #expect(
            digest(FoldingData.caseExpansions) == "486d5b00b10361ad361e5aae0a9baaac134b8e48b5809fd1d24e8551c7786015")
        #expect(
            digest(FoldingData.baseLetters) == "212c43023ad75087777bc2e27c4e7f9837c50f4e253b66ac1bebe0f268aac664")
        #expect(digest(FoldingData.marks) == "3d9e294903e8c30bd432776a17df123ce87bb58db0eae6523210f22dcb1920a2")
        #expect(
            digest(FoldingData.markDecompositions)
                == "e79365b20c5f7650339e4a2a412b2561966c0b2ecc90787471f007572ed93f50")
        #expect(
            digest(FoldingData.letterClasses) == "561903dce9809a714e381edce31d0687a66767121270433ada423041b579cb22")
    }
}
