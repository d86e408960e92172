import Foundation
import SwormPredicates
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Short forms to build models in tests.
enum Build {
    static func attribute(
        _ name: String, _ type: NSAttributeType = .stringAttributeType, optional: Bool = true,
        _ configure: (NSAttributeDescription) -> Void = { _ in }
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = optional
        configure(attribute)
        return attribute
    }

    static func toOne(
        _ name: String, _ destination: NSEntityDescription, _ configure: (NSRelationshipDescription) -> Void = { _ in }
    ) -> NSRelationshipDescription {
        toMany(name, destination) {
            $0.maxCount = 1
            configure($0)
        }
    }

    static func toMany(
        _ name: String, _ destination: NSEntityDescription, _ configure: (NSRelationshipDescription) -> Void = { _ in }
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        configure(relationship)
        return relationship
    }

    static func connect(_ one: NSRelationshipDescription, _ other: NSRelationshipDescription) {
        one.inverseRelationship = other
        other.inverseRelationship = one
    }

    static func composite(_ name: String, _ elements: [NSAttributeDescription]) -> NSCompositeAttributeDescription {
        let composite = NSCompositeAttributeDescription()
        composite.name = name
        composite.elements = elements
        return composite
    }

    static func derived(_ name: String, _ type: NSAttributeType, _ expression: String) -> NSDerivedAttributeDescription
    {
        let derived = NSDerivedAttributeDescription()
        derived.name = name
        derived.attributeType = type
        derived.derivation = expression
        return derived
    }

    static func entity(_ name: String, _ properties: [NSPropertyDescription] = []) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = properties
        return entity
    }

    static func model(_ entities: NSEntityDescription...) -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        model.entities = entities
        return model
    }
}

extension Data {
    var hexadecimal: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}

/// The issues of a model, as lines.
func issues(of model: NSManagedObjectModel) -> [String] {
    do {
        _ = try model.compiled()
        return []
    } catch let error as CoreDataError {
        return error.details.map(\.message)
    } catch {
        return ["\(error)"]
    }
}

/// A folder of one test. Remove it at the test's end, by which it also lives until then.
final class ModelTestFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("model-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    func remove() { try? FileManager.default.removeItem(at: url) }

    /// Writes a model file with a document.
    func model(_ document: String, named name: String = "Test.xcdatamodel") throws -> URL {
        let folder = url.appendingPathComponent(name, isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(document.utf8).write(to: folder.appendingPathComponent("contents"))
        return folder
    }

    /// Reads a model from the content of the root element.
    func read(_ inner: String, attributes: String = "") throws -> NSManagedObjectModel {
        let head = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<model \(attributes)>\n"
        return try NSManagedObjectModel.load(contentsOf: model(head + inner + "\n</model>\n"))
    }
}

/// The stores and models that Apple's framework wrote.
enum ModelFixtures {
    static let folder: URL? = {
        let given = ProcessInfo.processInfo.environment["SWORM_FIXTURES"].map { URL(fileURLWithPath: $0) }
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let folder = given ?? root.deletingLastPathComponent().appendingPathComponent("shared/fixtures")
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder)
        return exists && isFolder.boolValue ? folder.resolvingSymlinksInPath() : nil
    }()

    static var exist: Bool { folder != nil }

    /// Every file or folder with an extension, however deep.
    static func all(_ pathExtension: String) -> [URL] {
        guard let folder, let walk = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil) else {
            return []
        }
        return walk.compactMap { $0 as? URL }.filter { $0.pathExtension == pathExtension }
            .sorted { $0.path < $1.path }
    }
}
