import Foundation
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Model files")
struct ModelFileTests {
    private func refusal(_ url: URL) -> String? {
        do {
            _ = try NSManagedObjectModel.load(contentsOf: url)
            return nil
        } catch let error as CoreDataError {
            return error.message
        } catch {
            return "\(error)"
        }
    }

    private func document(_ entity: String) -> String { "<model><entity name=\"\(entity)\"/></model>" }

    private func marker(_ name: String) throws -> Data {
        try PropertyListSerialization.data(
            fromPropertyList: ["_XCCurrentVersionName": name], format: .xml, options: 0)
    }

    @Test func `the current version is read, and all versions are found in order`() throws {
        let folder = try ModelTestFolder()
        defer { folder.remove() }
        for (name, entity) in [("M", "One"), ("M 2", "Two"), ("M 10", "Ten")] {
            _ = try folder.model(document(entity), named: "M.xcdatamodeld/\(name).xcdatamodel")
        }
        let url = folder.url.appendingPathComponent("M.xcdatamodeld", isDirectory: true)
        #expect(refusal(url)?.contains("has several versions, but no file '.xccurrentversion'") == true)
        #expect(NSManagedObjectModel(contentsOf: url) == nil)
        let file = url.appendingPathComponent(".xccurrentversion")
        try marker("M 2.xcdatamodel").write(to: file)
        #expect(NSManagedObjectModel(contentsOf: url)?.entities.map(\.name) == ["Two"])
        #expect(try NSManagedObjectModel.currentVersionName(at: url) == "M 2")
        let versions = try NSManagedObjectModel.versions(at: url)
        #expect(versions.map(\.name) == ["M", "M 2", "M 10"])
        #expect(versions.map { $0.model.entities.first?.name } == ["One", "Two", "Ten"])
        let one = url.appendingPathComponent("M 10.xcdatamodel")
        #expect(try NSManagedObjectModel.load(contentsOf: one).entities.map(\.name) == ["Ten"])
        #expect(try NSManagedObjectModel.versions(at: one).map(\.name) == ["M 10"])

        for name in ["M 3.xcdatamodel", "../M.xcdatamodeld/M.xcdatamodel", "/etc", ""] {
            try marker(name).write(to: file)
            #expect(refusal(url)?.contains("names the current version '\(name)', which is not in the folder") == true)
        }
        try Data("nothing".utf8).write(to: file)
        #expect(refusal(url)?.contains("is not a property list that names the current version") == true)
    }

    @Test func `a single version needs no mark`() throws {
        let folder = try ModelTestFolder()
        defer { folder.remove() }
        _ = try folder.model(document("Only"), named: "M.xcdatamodeld/M.xcdatamodel")
        let url = folder.url.appendingPathComponent("M.xcdatamodeld")
        #expect(NSManagedObjectModel(contentsOf: url)?.entities.map(\.name) == ["Only"])
    }

    @Test func `a file that is not a readable model is rejected with the reason`() throws {
        let folder = try ModelTestFolder()
        defer { folder.remove() }
        let manager = FileManager.default
        func make(_ name: String, folder isFolder: Bool) throws -> URL {
            let url = folder.url.appendingPathComponent(name)
            if isFolder {
                try manager.createDirectory(at: url, withIntermediateDirectories: true)
            } else {
                try Data("x".utf8).write(to: url)
            }
            return url
        }
        #expect(refusal(folder.url.appendingPathComponent("No.xcdatamodeld"))?.hasSuffix("does not exist.") == true)
        #expect(refusal(try make("A.xcdatamodel", folder: false))?.contains("is not a folder") == true)
        #expect(refusal(try make("B.xcdatamodeld", folder: true))?.contains("contains no model") == true)
        #expect(refusal(try make("C.xcdatamodel", folder: true))?.contains("has no file named 'contents'") == true)
        #expect(refusal(try make("D.mom", folder: false))?.contains("cannot be read as a model") == true)
        #expect(refusal(try make("D.momd", folder: true))?.contains("it has no .mom file") == true)
        // The cause has a full stop of its own.
        let absent = refusal(folder.url.appendingPathComponent("Absent.mom"))
        #expect(absent?.contains("cannot be read: ") == true && absent?.hasSuffix("..") == false, "\(absent ?? "")")
        #expect(refusal(try make("E.txt", folder: false))?.contains("is not a model") == true)
        let old = try make("F.xcdatamodel", folder: true)
        try Data([0x62, 0x70]).write(to: old.appendingPathComponent("elements"))
        #expect(refusal(old)?.contains("has the old binary format of model files") == true)
        let odd = try make("G.xcdatamodel", folder: true)
        try manager.createDirectory(at: odd.appendingPathComponent("contents"), withIntermediateDirectories: true)
        #expect(refusal(odd)?.contains("is not a regular file") == true)
        try manager.createSymbolicLink(
            atPath: try make("H.xcdatamodel", folder: true).path + "/contents", withDestinationPath: "/dev/zero")
        #expect(refusal(folder.url.appendingPathComponent("H.xcdatamodel"))?.contains("is not a regular file") == true)
        #expect(
            refusal(try folder.model("<archive/>", named: "I.xcdatamodel"))?.contains(
                "its root element is 'archive', not 'model'") == true)
        let large = try folder.model(String(repeating: " ", count: ModelLimits.fileSize + 1), named: "J.xcdatamodel")
        #expect(refusal(large)?.contains("can have at most") == true)
    }
}
