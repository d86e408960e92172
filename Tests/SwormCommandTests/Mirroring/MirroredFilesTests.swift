import Foundation
import SwormSQLite
import TestSupport
import Testing

@testable import SwormCommand
@testable import SwormStore

@Suite("external files of mirrored stores")
struct MirroredFilesTests {
    /// A mirrored store with two files besides that of a cover: the mirroring names one of them, and nothing that is known
    /// names the other one.
    private func workshop() throws -> (workshop: Workshop, named: String, unknown: String) {
        let workshop = try Workshop()
        try workshop.makeExportedStore()
        let (named, unknown) = (UUID(), UUID())
        for name in [named, unknown] { try Data([1]).write(to: file(name.uuidString, in: workshop)) }
        let bytes = ExternalDataFolder.referenceColumn(named).map { String(format: "%02x", $0) }.joined()
        let table = "RecordMetadataEncodedRecordAsset"
        try workshop.execute(
            MirroringSQL.insert(table, ["ZRECORD": "1", "ZEXTERNALBINARYDATA": "x'\(bytes)'"])
                + "UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'NSCK\(table)'")
        return (workshop, named.uuidString, unknown.uuidString)
    }

    private func file(_ name: String, in workshop: Workshop) -> URL {
        workshop.url(".Library_SUPPORT/_EXTERNAL_DATA/" + name)
    }

    @Test func `a copy has the files that the mirroring names, and those of which that is unknown`() throws {
        let (workshop, named, unknown) = try workshop()
        let copy = workshop.file("Copy.sqlite")
        let run = Run(["copy", workshop.storePath, copy])
        #expect(run.code == .ok && !run.err.contains("missing"), "\(run.err)")
        let folder = ".Copy_SUPPORT/_EXTERNAL_DATA/"
        let names = try workshop.contents().keys.filter { $0.hasPrefix(folder) }
        #expect(names.count == 3 && Set(names).isSuperset(of: [folder + named, folder + unknown]))
        let findings = workshop.run("verify", store: copy).out
        #expect(findings.contains(unknown) && !findings.contains(named), "\(findings)")
    }

    @Test func `a missing file that the mirroring names is reported`() throws {
        let (workshop, named, _) = try workshop()
        try FileManager.default.removeItem(at: file(named, in: workshop))
        let words = "external data file \(named), which rows refer to, is missing"
        let run = Run(["copy", workshop.storePath, workshop.file("Copy.sqlite")])
        #expect(run.code == .ok && run.err.contains(words), "\(run.err)")
        #expect(workshop.run("inspect", width: 300).out.contains(words))
    }
}
