import Foundation
import Testing

@testable import SwormCommand

@Suite("freeze, names and versions in a folder")
struct FrozenFolderTests {
    private func freeze(_ name: String, in workshop: Workshop, model: String? = nil) -> Run {
        Run(["freeze", model ?? workshop.modelPath, workshop.file("Frozen"), "--name", name])
    }

    private func check(_ model: String, in workshop: Workshop, _ words: String...) -> Run {
        Run(["freeze", "--check", model, workshop.file("Frozen")] + words)
    }

    private func remove(_ name: String, in workshop: Workshop) throws {
        try FileManager.default.removeItem(atPath: workshop.file(name))
    }

    // MARK: Manifests

    @Test func `the files of a version without its manifest are named`() throws {
        let workshop = try Workshop()
        #expect(freeze("1.0", in: workshop).code == .ok && freeze("1.1", in: workshop).code == .ok)
        #expect(check(workshop.modelPath, in: workshop).code == .ok)
        try remove("Frozen/1.1.frozen.json", in: workshop)
        let runs = [
            check(workshop.modelPath, in: workshop), check(workshop.modelPath, in: workshop, "--name", "1.1"),
            Run(["freeze", "--check", workshop.file("Frozen")]),
        ]
        for run in runs {
            #expect(run.code == .found, "\(run.err)")
            for end in ["release.json", "schema.swift", "store", "tables.swift", "xcdatamodel"] {
                let line = "1.1: 1.1.\(end): belongs to no frozen version, because 1.1.frozen.json is missing"
                #expect(run.lines.contains(line), "\(run.out)")
            }
            #expect(run.lines.contains("5 differences from what was frozen"), "\(run.out)")
        }
        #expect(check(workshop.modelPath, in: workshop, "--name", "1.0").code == .ok)
        try remove("Frozen/1.0.frozen.json", in: workshop)
        let none = check(workshop.modelPath, in: workshop)
        #expect(none.code == .found && none.lines.contains("10 differences from what was frozen"), "\(none.out)")
    }

    @Test func `a model that is alone in the folder, or a version of a release ledger, is no frozen version`() throws {
        let workshop = try Workshop()
        #expect(freeze("1.0", in: workshop).code == .ok)
        try FileManager.default.copyItem(
            atPath: workshop.modelPath, toPath: workshop.file("Frozen/Library.xcdatamodel"))
        for end in ["release.json", "store"] {
            try FileManager.default.copyItem(
                atPath: workshop.file("Frozen/1.0.\(end)"), toPath: workshop.file("Frozen/0.9.\(end)"))
        }
        let run = check(workshop.modelPath, in: workshop)
        #expect(run.code == .ok, "\(run.out)\(run.err)")
        // With a model, they are what is left of a frozen version.
        try FileManager.default.copyItem(
            atPath: workshop.modelPath, toPath: workshop.file("Frozen/0.9.xcdatamodel"))
        #expect(check(workshop.modelPath, in: workshop).out.contains("0.9: 0.9.store: belongs to no frozen version"))
    }

    @Test func `the manifest of another version is named`() throws {
        let workshop = try Workshop()
        #expect(freeze("1.0", in: workshop).code == .ok)
        let url = workshop.url("Frozen/1.0.frozen.json")
        var manifest = try FrozenManifest(contentsOf: url)
        manifest.version = "1.1"
        try manifest.encoded().write(to: url)
        let run = check(workshop.modelPath, in: workshop)
        #expect(run.code == .found)
        #expect(run.lines.contains("1.0: 1.0.frozen.json: is the manifest of the version '1.1'"), "\(run.out)")
    }

    // MARK: Names

    @Test func `versions whose Swift types would have the same names are not frozen together`() throws {
        let workshop = try Workshop()
        #expect(freeze("1.0", in: workshop).code == .ok)
        for name in ["1-0", "1_0", "v1.0"] {
            let run = freeze(name, in: workshop)
            #expect(run.code == .usage)
            #expect(run.err.contains("'1.0' and '\(name)'") && run.err.contains("'LibraryV1_0'"), "\(run.err)")
            #expect(run.err.contains("--name NAME"))
        }
        #expect(freeze("é", in: workshop).code == .ok)
        #expect(freeze("ü", in: workshop).err.contains("'é' and 'ü'"))
        #expect(freeze("1.0", in: workshop).out.contains("already, and unchanged"))
        let manifests = try FileManager.default.contentsOfDirectory(atPath: workshop.file("Frozen"))
            .filter { $0.hasSuffix(".frozen.json") }
        #expect(manifests.count == 2)
        // A model can be named as the schema of another one.
        let (one, other) = (
            try FrozenNames(version: "1", model: "Library"), try FrozenNames(version: "v1", model: "LibrarySchema")
        )
        #expect(one.typeNames.intersection(other.typeNames) == ["LibrarySchemaV1"])
    }

    // MARK: Versions of the current model

    /// Writes a model with two versions, and freezes both.
    private func frozenPair(in workshop: Workshop) throws -> String {
        let bundle = workshop.file("Shelves.xcdatamodeld")
        try workshop.write(LibraryXML.text, model: "Shelves.xcdatamodeld/Shelves")
        let second = LibraryXML.text.replacing(#"name="weight""#, with: #"name="mass""#)
        try workshop.write(second, model: "Shelves.xcdatamodeld/Shelves 2")
        for (name, version) in [("1", "Shelves"), ("2", "Shelves 2")] {
            let run = freeze(name, in: workshop, model: "\(bundle)/\(version).xcdatamodel")
            #expect(run.code == .ok, "\(run.err)")
        }
        #expect(check(bundle, in: workshop).code == .ok)
        return bundle
    }

    @Test func `a frozen version that the model file has lost is named, even if one version is left`() throws {
        let workshop = try Workshop()
        let bundle = try frozenPair(in: workshop)
        try remove("Shelves.xcdatamodeld/Shelves.xcdatamodel", in: workshop)
        let run = check(bundle, in: workshop)
        #expect(run.code == .found, "\(run.err)")
        let line = "1: the current model no longer has this version; the most similar one is Shelves 2"
        #expect(run.lines.contains(line), "\(run.out)")
        #expect(run.lines.allSatisfy { !$0.hasPrefix("2: ") }, "\(run.out)")
        #expect(check(bundle, in: workshop, "--name", "2").code == .ok)
        // A single model is one of the frozen versions.
        #expect(check(bundle + "/Shelves 2.xcdatamodel", in: workshop).code == .ok)
    }

    @Test func `only the frozen version that a single model was compared with is named`() throws {
        let workshop = try Workshop()
        let bundle = try frozenPair(in: workshop)
        for (name, version) in [("1", "Shelves"), ("2", "Shelves 2")] {
            let model = "\(bundle)/\(version).xcdatamodel"
            #expect(check(model, in: workshop).out == "no differences from \(name)\n")
            let json = try check(model, in: workshop, "--json").json() as? [String: Any]
            #expect(json?["versions"] as? [String] == [name])
        }
        #expect(check(bundle, in: workshop).out == "no differences from 1, 2\n")
    }

    @Test func `a version of the current model that cannot be read is an error of the check`() throws {
        let workshop = try Workshop()
        let bundle = try frozenPair(in: workshop)
        try Data("<model".utf8).write(to: workshop.url("Shelves.xcdatamodeld/Shelves.xcdatamodel/contents"))
        let run = check(bundle, in: workshop)
        #expect(run.code == .failure, "\(run.out)")
        #expect(run.err.contains("the version 'Shelves' cannot be read"), "\(run.err)")
    }
}
