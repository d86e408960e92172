import Foundation
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("References to models")
struct ModelReferenceTests {
    /// A bundle with the versions “One” and “Two” of the model “Things”.
    private func bundle(_ folder: ModelTestFolder) throws -> (bundle: Bundle, versions: [NSManagedObjectModel]) {
        let names = ["One", "Two"]
        let versions = try names.enumerated().map { index, name in
            let more = index == 0 ? "" : "<attribute name=\"more\" optional=\"YES\" attributeType=\"String\"/>"
            return try NSManagedObjectModel.load(
                contentsOf: folder.model(
                    """
                    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
                    <model><entity name="Thing"><attribute name="name" optional="YES" attributeType="String"/>\(more)\
                    </entity></model>
                    """, named: "Things.xcdatamodeld/\(name).xcdatamodel"))
        }
        return (try #require(Bundle(path: folder.url.path)), versions)
    }

    @Test func `a version is found by its file, its name, its model's name and its hashes`() throws {
        let folder = try ModelTestFolder()
        defer { folder.remove() }
        let (bundle, versions) = try bundle(folder)
        let file = folder.url.appendingPathComponent("Things.xcdatamodeld")
        for (version, name) in zip(versions, ["One", "Two"]) {
            let checksum = version.versionChecksum
            let references = [
                NSManagedObjectModelReference(model: version, versionChecksum: checksum),
                NSManagedObjectModelReference(fileURL: file, versionChecksum: checksum),
                NSManagedObjectModelReference(
                    fileURL: file.appendingPathComponent("\(name).xcdatamodel"), versionChecksum: checksum),
                NSManagedObjectModelReference(name: name, in: bundle, versionChecksum: checksum),
                NSManagedObjectModelReference(name: "Things", in: bundle, versionChecksum: checksum),
                NSManagedObjectModelReference(
                    entityVersionHashes: version.entityVersionHashesByName, in: bundle, versionChecksum: checksum),
            ]
            for reference in references {
                #expect(reference.versionChecksum == checksum)
                #expect(try reference.resolve().versionChecksum == checksum)
                #expect(reference.resolvedModel.entitiesByName.keys.sorted() == ["Thing"])
                #expect(reference.resolvedModel === reference.resolvedModel)
            }
        }
    }

    @Test func `another version than that of the checksum is refused`() throws {
        let folder = try ModelTestFolder()
        defer { folder.remove() }
        let (bundle, versions) = try bundle(folder)
        let file = folder.url.appendingPathComponent("Things.xcdatamodeld/One.xcdatamodel")
        for reference in [
            NSManagedObjectModelReference(model: versions[0], versionChecksum: versions[1].versionChecksum),
            NSManagedObjectModelReference(fileURL: file, versionChecksum: versions[1].versionChecksum),
            NSManagedObjectModelReference(name: "One", in: bundle, versionChecksum: versions[1].versionChecksum),
        ] {
            let error = coreDataError { _ = try reference.resolve() }
            #expect(error?.errorCode == NSStagedMigrationFrameworkVersionMismatchError)
            #expect(error?.message.contains(versions[0].versionChecksum) == true)
        }
    }

    @Test func `a missing model is reported`() throws {
        let folder = try ModelTestFolder()
        defer { folder.remove() }
        let bundle = try bundle(folder).bundle
        for reference in [
            NSManagedObjectModelReference(name: "Three", in: bundle, versionChecksum: "x"),
            NSManagedObjectModelReference(entityVersionHashes: ["Thing": Data([1])], in: bundle, versionChecksum: "x"),
        ] {
            let error = coreDataError { _ = try reference.resolve() }
            #expect(error?.errorCode == NSMigrationMissingSourceModelError)
            #expect(error?.message.contains(folder.url.lastPathComponent) == true)
            #expect(reference.resolvedModel.entities.isEmpty)
        }
        let missing = NSManagedObjectModelReference(
            fileURL: folder.url.appendingPathComponent("None.xcdatamodel"), versionChecksum: "x")
        #expect(coreDataError { _ = try missing.resolve() }?.errorCode == CocoaError.Code.fileReadNoSuchFile.rawValue)
    }
}
