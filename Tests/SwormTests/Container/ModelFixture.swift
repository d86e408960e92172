import Foundation
import Sworm
import Testing

/// Model files that a test writes, and the stores that Apple's framework wrote.
enum ModelFixture {
    /// Whether model sources can be read; Core Data itself reads only compiled models.
    static var readsSources: Bool {
        #if canImport(Darwin)
        false
        #else
        true
        #endif
    }

    /// Whether the engine says what is wrong with a model file; Core Data says only that there is something.
    static var reportsIssues: Bool {
        #if canImport(CoreData)
        false
        #else
        true
        #endif
    }

    /// The folder with stores from Apple's framework; nil where there is none.
    static let folder: URL? = {
        let given = ProcessInfo.processInfo.environment["SWORM_FIXTURES"].map { URL(fileURLWithPath: $0) }
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let place = given ?? root.deletingLastPathComponent().appendingPathComponent("shared/fixtures")
        return FileManager.default.fileExists(atPath: place.path) ? place : nil
    }()

    /// Writes a model file with these entities.
    static func write(_ entities: String, in folder: StoreFolder) throws -> URL {
        let file = folder.file("Model.xcdatamodel")
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
        let text = """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift">
            \(entities)
            </model>
            """
        try Data(text.utf8).write(to: file.appendingPathComponent("contents"))
        return file
    }

    /// The model of a file with these entities.
    static func model(_ entities: String) throws -> NSManagedObjectModel {
        let folder = try StoreFolder()
        return try #require(NSManagedObjectModel(contentsOf: try write(entities, in: folder)))
    }

    /// All that a model says, one line a thing, in order.
    static func lines(of model: NSManagedObjectModel) -> [String] {
        var lines: [String] = []
        for entity in model.entities {
            let name = entity.name ?? ""
            let unique = entity.uniquenessConstraints.map { "\($0)" }.sorted()
            lines.append(
                "\(name) abstract=\(entity.isAbstract) unique=\(unique) subentities=\(entity.subentities.count)")
            for index in entity.indexes {
                let elements = index.elements.map {
                    "\($0.propertyName ?? "")\($0.isAscending)\($0.collationType.rawValue)"
                }
                lines.append("\(name) index \(index.name) \(elements)")
            }
            for property in entity.properties {
                var line = "\(name).\(property.name) optional=\(property.isOptional) transient=\(property.isTransient)"
                line += " from=\(property.renamingIdentifier ?? "") modifier=\(property.versionHashModifier ?? "")"
                if let attribute = property as? NSAttributeDescription {
                    line +=
                        " type=\(attribute.attributeType.rawValue) external=\(attribute.allowsExternalBinaryDataStorage)"
                    line += " preserved=\(attribute.preservesValueInHistoryOnDeletion)"
                    line += " default=\(attribute.defaultValue.map { "\($0)" } ?? "none")"
                }
                if let relation = property as? NSRelationshipDescription {
                    line +=
                        " to=\(relation.destinationEntity?.name ?? "") inverse=\(relation.inverseRelationship?.name ?? "")"
                    line += " count=\(relation.minCount)...\(relation.maxCount) ordered=\(relation.isOrdered)"
                    line += " rule=\(relation.deleteRule.rawValue)"
                }
                lines.append(line)
            }
        }
        return lines.sorted()
    }
}
