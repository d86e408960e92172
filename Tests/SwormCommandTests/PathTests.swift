import Foundation
@testable import OpenCoreData
import SwormSQLite
import Testing

@testable import SwormCommand

@Suite("Paths", .timeLimit(.minutes(30)))
struct PathTests {
    private static let readers = [["inspect"], ["verify"], ["model"], ["dump"], ["query", "Book"], ["count", "Book"]]

    /// Runs every command that reads a store on a path, and expects one answer of all.
    private func expectAll(
        _ path: String, _ error: String, hint: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for words in Self.readers {
            let run = Run([words[0], path] + words.dropFirst())
            #expect(run.code == .failure, "\(words)", sourceLocation: sourceLocation)
            #expect(run.err == "error: \(error)\nhint: \(hint)\n", "\(words)", sourceLocation: sourceLocation)
        }
    }

    @Test func `a path that is not UTF-8 is rejected, and no other file is opened`() throws {
        let workshop = try Workshop()
        try workshop.makeStore()
        // What a repair would make of the name.
        try FileManager.default.copyItem(atPath: workshop.storePath, toPath: workshop.file("a\u{FFFD}.sqlite"))
        let console = Console(out: ByteSink(), err: ByteSink())
        let path = Array(workshop.file("a").utf8) + [0xFF] + Array(".sqlite".utf8)
        #expect(SwormTool.run(bytes: [Array("inspect".utf8), path], console: console) == .usage)
        #expect(console.out.text == "")
        #expect(console.err.text.contains("a\\xFF.sqlite' is not UTF-8, "))
        let repaired = Array(workshop.file("a\u{FFFD}.sqlite").utf8)
        #expect(SwormTool.run(bytes: [Array("inspect".utf8), repaired], console: console) == .ok)
    }

    @Test func `a store that is not there is reported with the nearest name`() throws {
        let workshop = try Workshop()
        try workshop.makeStore()
        let missing = workshop.file("Libary.sqlite")
        expectAll(missing, "there is no store '\(missing)'", hint: "did you mean '\(workshop.storePath)'?")
        let other = workshop.file("zzz")
        expectAll(other, "there is no store '\(other)'", hint: "did you mean '\(workshop.storePath)'?")
        let deep = workshop.file("no/where")
        expectAll(deep, "there is no store '\(deep)'", hint: "there is no folder '\(workshop.file("no"))'")
        let model = workshop.file("Libary.xcdatamodel")
        let run = Run(["inspect", workshop.storePath, "--model", model])
        #expect(run.err == "error: there is no model '\(model)'\nhint: did you mean '\(workshop.modelPath)'?\n")
        let far = Run(["inspect", workshop.storePath, "--model", workshop.file("zzz.momd")])
        #expect(far.err.hasSuffix("hint: did you mean '\(workshop.modelPath)'?\n"), "\(far.err)")
        let none = Run(["inspect", workshop.modelPath + "/a.sqlite"])
        #expect(none.err.hasSuffix("hint: the folder contains no store\n"), "\(none.err)")
        #expect(Run(["inspect", ""]).code == .usage)
    }

    @Test func `a new store needs a name, and the message does not mention the folder`() throws {
        let workshop = try Workshop()
        try workshop.makeStore()
        try Data(workshop.run("dump").out.utf8).write(to: workshop.url("dump.ndjson"))
        for words in [
            ["copy", workshop.storePath, ""],
            ["import", workshop.file("dump.ndjson"), "", "--model", workshop.modelPath, "--force"],
        ] {
            let run = Run(words)
            #expect(run.code == .usage)
            #expect(run.err == "error: the path of the new store is empty\nhint: name the file to create\n")
        }
    }

    @Test func `a folder, a model and an empty file are not stores`() throws {
        let workshop = try Workshop()
        try workshop.makeStore()
        expectAll(
            workshop.path, "'\(workshop.path)' is a folder, not a store file",
            hint: "did you mean '\(workshop.storePath)'?")
        let query = Run(["count", workshop.modelPath, "Book"])
        #expect(query.err.contains("is a model, not a store file"))
        let empty = workshop.file("empty.sqlite")
        try Data().write(to: workshop.url("empty.sqlite"))
        expectAll(
            empty, "'\(empty)' is empty: it contains no store",
            hint: "creating or copying a store may have been interrupted; look for another copy")
        #expect(workshop.run("verify", store: empty).err.contains("is empty"))
    }

    @Test func `pipes and devices are rejected before they are opened`() throws {
        let workshop = try Workshop()
        try workshop.makeStore()
        let pipe = workshop.file("pipe")
        try #require(mkfifo(pipe, 0o600) == 0)
        let hint = "a store needs random access; copy it to a file first"
        expectAll(pipe, "'\(pipe)' is a pipe, not a store file", hint: hint)
        expectAll("/dev/zero", "'/dev/zero' is a device, not a store file", hint: hint)
        expectAll("/dev/null", "'/dev/null' is a device, not a store file", hint: hint)
        for model in [pipe, "/dev/zero"] {
            let run = Run(["verify", workshop.storePath, "--model", model])
            #expect(run.code == .failure)
            #expect(run.err.contains("not a model"))
        }
        #expect(Run(["copy", pipe, workshop.file("copy")]).err.contains("is a pipe"))
        #expect(Run(["diff", workshop.storePath, pipe]).err.contains("is a pipe"))
    }

    @Test func `a file that is not a store is reported with a hint, and only a store is sent to verify`() throws {
        let workshop = try Workshop()
        try Data("hello".utf8).write(to: workshop.url("text"))
        #expect(Run(["inspect", workshop.file("text")]).err.contains("hint: a store is a SQLite file"))
        try workshop.execute("CREATE TABLE note (text TEXT)", on: "notes.db")
        let notes = Run(["inspect", workshop.file("notes.db")])
        #expect(notes.err.contains("not a Core Data store"))
        #expect(notes.err.contains("hint: name a file that was written by"))
        try workshop.makeStore()
        try workshop.write("<model", model: "Broken")
        let broken = Run(["inspect", workshop.storePath, "--model", workshop.file("Broken.xcdatamodel")])
        #expect(broken.code == .failure)
        #expect(!broken.err.contains("verify"))
    }

    @Test func `damage of the header and the metadata is named`() throws {
        let workshop = try Workshop()
        try workshop.makeStore()
        try workshop.raw().setJournalMode(.delete)
        let sound = try Data(contentsOf: workshop.url("Library.sqlite"))
        var data = sound
        data[21] = 0
        try data.write(to: workshop.url("Library.sqlite"))
        let header = Run(["inspect", workshop.storePath])
        #expect(header.err.contains("is damaged: three bytes"))
        #expect(header.err.contains("hint: 'sworm-tool verify' finds damage"))
        #expect(Run(["verify", workshop.storePath]).code == .found)
        try sound.write(to: workshop.url("Library.sqlite"))
        try workshop.execute("UPDATE Z_METADATA SET Z_PLIST = X'00'")
        let metadata = Run(["inspect", workshop.storePath])
        #expect(metadata.err.contains("(Z_PLIST in the table Z_METADATA) is damaged. It is not a property list"))
        #expect(metadata.err.contains("hint: 'sworm-tool verify' finds damage"))
        #expect(Run(["verify", workshop.storePath]).out.contains("Z_PLIST"))
    }

    @Test func `output is written to a file, and only if its folder exists`() throws {
        let workshop = try Workshop()
        let pipe = workshop.file("pipe")
        try #require(mkfifo(pipe, 0o600) == 0)
        for (path, says) in [
            (workshop.path, "it is a folder"), (workshop.file("no/a.swift"), "there is no folder"),
            (pipe, "it is a pipe"), (workshop.modelPath + "/contents/a", "is a file"),
        ] {
            for force in [[], ["--force"]] {
                let run = Run(["model", workshop.modelPath, "--swift", "-o", path] + force)
                #expect(run.code == .failure)
                #expect(run.err.contains(says) && run.err.contains("hint: "), "\(run.err)")
            }
        }
        #expect(!FileManager.default.fileExists(atPath: workshop.file("no")))
        #expect(Run(["model", workshop.modelPath, "-o", ""]).code == .usage)
        try Data().write(to: workshop.url("A.xcdatamodel"))
        let run = Run(["model", workshop.modelPath, "--xml", "-o", workshop.file("A.xcdatamodel"), "--force"])
        #expect(run.err.contains("it is a file"))
    }
}
