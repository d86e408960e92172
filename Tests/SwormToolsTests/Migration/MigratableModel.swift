import Foundation
import Sworm
import SwormLegacy
import SwormTools

/// A model in files with four versions: an attribute comes, the numbers are multiplied by ten and become real, and entity and
/// attribute get other names.
enum MigratableModel {
    private static let entities = [
        """
        <entity name="A"><attribute name="id" attributeType="Integer 64" defaultValueString="0"/>
        <attribute name="name" optional="YES" attributeType="String"/></entity>
        """,
        """
        <entity name="A"><attribute name="id" attributeType="Integer 64" defaultValueString="0"/>
        <attribute name="name" optional="YES" attributeType="String"/>
        <attribute name="note" attributeType="String" defaultValueString="none"/></entity>
        """,
        """
        <entity name="A"><attribute name="id" attributeType="Double" defaultValueString="0"/>
        <attribute name="name" optional="YES" attributeType="String"/>
        <attribute name="note" attributeType="String" defaultValueString="none"/></entity>
        """,
        """
        <entity name="B" elementID="A"><attribute name="identifier" elementID="id" attributeType="Double" defaultValueString="0"/>
        <attribute name="name" optional="YES" attributeType="String"/>
        <attribute name="note" attributeType="String" defaultValueString="none"/></entity>
        """,
    ]

    /// Runs a test with the store, whose model is in the bundle.
    static func with<R>(_ body: (SQLiteStoreDescription, Bundle) throws -> R) throws -> R {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sworm-test-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        for (number, text) in entities.enumerated() {
            let version = folder.appendingPathComponent("Migratable.xcdatamodeld/V\(number).xcdatamodel")
            try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
            let document = """
                <?xml version="1.0" encoding="UTF-8"?>
                <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">\(text)</model>
                """
            try Data(document.utf8).write(to: version.appendingPathComponent("contents"))
        }
        guard let bundle = Bundle(path: folder.path) else { throw CocoaError(.fileReadNoSuchFile) }
        let tenfold = EntityChange.changeManagedObjects(of: "A", to: "A") { old, new, _ in
            new.setValue(Double(old.value(forKey: "id") as? Int64 ?? -1) * 10, forKey: "id")
        }
        let store = SQLiteStoreDescription(
            name: "Migratable", url: folder.appendingPathComponent("Store.sqlite"), modelName: "Migratable",
            modelVersions: ["V0", "V1", .init(name: "V2", stage: .custom(tenfold)), "V3"])
        return try body(store, bundle)
    }

    /// Inserts objects of version 0 or 1 with plain Core Data.
    static func fill(_ container: NSPersistentContainer) throws {
        let context = container.newBackgroundContext()
        try context.performAndWait {
            for (id, name) in [(1, "foo"), (2, "bar")] {
                let object = NSEntityDescription.insertNewObject(forEntityName: "A", into: context)
                object.setValue(Int64(id), forKey: "id")
                object.setValue(name, forKey: "name")
            }
            try context.save()
        }
    }

    /// The objects of an entity as text, by name.
    static func rows(_ entity: String, _ key: String, in container: NSPersistentContainer) throws -> [String] {
        let context = container.newBackgroundContext()
        return try context.performAndWait {
            try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity)).map { object in
                [key, "name", "note"].filter { object.entity.attributesByName[$0] != nil }
                    .map { "\(object.value(forKey: $0) ?? "nil")" }.joined(separator: " ")
            }.sorted()
        }
    }
}
