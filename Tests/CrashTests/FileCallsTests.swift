import Foundation
@testable import OpenCoreData
@testable import SwormStore
import Testing

/// The order in which our own calls come to the disk.
@Suite("Calls that change files")
struct FileCallsTests {
    @Test func `the first external file is on the disk with all its folders before the commit`() throws {
        let workload = try CrashWorkload(CrashStore(synchronous: .full), seed: 1)
        try workload.saveObjects()
        for _ in 0..<8 { try workload.changePayload() }
        let changes = workload.run("").record.changes
        let names = workload.run("").record.namesOfFiles
        let file = try #require(names.filter { $0.value.contains("_EXTERNAL_DATA/") }.keys.min())
        let written = changes.firstIndex { if case .makeFile(_, file) = $0 { true } else { false } }
        let rest = changes[(try #require(written))...]
        let commit = try #require(
            rest.firstIndex {
                if case .write(let log, _, _) = $0 { names[log]?.hasSuffix("-wal") == true } else { false }
            })
        let contents = rest[..<commit].contains { if case .synchronize(file) = $0 { true } else { false } }
        #expect(contents)
        let made = changes.firstIndex { if case .makeFolder(".Store_SUPPORT") = $0 { true } else { false } }
        let steps = changes[(try #require(made))..<commit]
        for folder in ["", ".Store_SUPPORT", ".Store_SUPPORT/_EXTERNAL_DATA"] {
            let isSynchronized = steps.contains {
                if case .synchronizeFolder(folder) = $0 { true } else { false }
            }
            #expect(isSynchronized, "\(folder)")
        }
    }

    @Test func `a file is replaced by one that is on the disk`() throws {
        let folder = try ScratchFolder()
        let recorder = try DiskRecorder(folder.url)
        let path = folder.url("note").path
        for number in 0..<2 as Range<UInt8> {
            try recorder.disk.calls.replaceFile(Data([number]), at: path)
            #expect(try Data(contentsOf: folder.url("note")) == Data([number]))
        }
        let kinds = recorder.result.changes.map { "\($0)".prefix { $0 != "(" } }
        #expect(kinds == ["makeFile", "write", "synchronize", "rename", "makeFile", "write", "synchronize", "rename"])
        recorder.fail(3)
        #expect(throws: CoreDataError.self) { try recorder.disk.calls.replaceFile(Data([9]), at: path) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["note"])
        #expect(try Data(contentsOf: folder.url("note")) == Data([1]))
    }

    @Test func `errors say the file, the reason and a code`() throws {
        let folder = try ScratchFolder()
        let calls = SystemFileCalls()
        let path = folder.url("none/file").path
        let missing = try #require(throws: CoreDataError.self) { try calls.createFile(path) }
        #expect(missing.errorCode == CocoaError.Code.fileNoSuchFile.rawValue)
        #expect(missing.message == "'\(path)' cannot be made: No such file or directory.")
        try calls.makeFolders(folder.url("a/b/c").path)
        try calls.writeFile(Data([1]), to: folder.url("a/b/c/d").path)
        let taken = try #require(throws: CoreDataError.self) { try calls.createFile(folder.url("a/b/c/d").path) }
        #expect(taken.errorCode == CocoaError.Code.fileWriteFileExists.rawValue)
        try calls.makeLink(folder.url("a/link").path, to: folder.url("a/b").path)
        try calls.removeTree(folder.url("a/link").path)
        #expect(FileKind(path: folder.url("a/b/c/d").path) == .file)
        try calls.copyFiles(in: folder.url("a").path, to: folder.url("z").path)
        #expect(try Data(contentsOf: folder.url("z/b/c/d")) == Data([1]))
        try calls.removeTree(folder.url("a").path)
        #expect(FileKind(path: folder.url("a").path) == nil)
    }
}
