import Foundation

@testable import OpenCoreData
@testable import SwormStore

// libFuzzer's entry points for what comes from files: property lists and archives, model files, and stores. Which one runs is
// said by the environment; see `Tests/Fuzz/run`.

private let kind = ProcessInfo.processInfo.environment["FUZZ"] ?? "archives"
/// A folder of the process's own, in memory where the system has one.
private let folder: URL = {
    let base = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
    let url = URL(fileURLWithPath: base).appendingPathComponent(
        "sworm-fuzz-\(ProcessInfo.processInfo.processIdentifier)")
    try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return url
}()

/// Called once, before the inputs are read: puts seeds into the folder that the environment names.
@_cdecl("LLVMFuzzerInitialize")
public func initializeFuzzer(_ count: UnsafePointer<CInt>, _ arguments: UnsafeRawPointer) -> CInt {
    guard let path = ProcessInfo.processInfo.environment["FUZZ_SEEDS"] else { return 0 }
    do {
        try FuzzSeeds.write(kind, to: URL(fileURLWithPath: path))
    } catch {
        FileHandle.standardError.write(Data("error: no seeds: \(error)\n".utf8))
        return 1
    }
    return 0
}

/// Reads one input as the kind of file that the environment names.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEngine(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let data = Data(bytes: start, count: count)
    switch kind {
    case "archives": fuzzArchive(data)
    case "models": fuzzModelFile(data)
    default: fuzzStore(data)
    }
    return 0
}

/// What is read as a model must be sound enough to be frozen, compared and written, or be refused there.
private func use(_ model: NSManagedObjectModel) {
    guard let compiled = try? model.compiled() else { return }
    _ = model.entityVersionHashesByName
    _ = StoreLayout(model: compiled)
    _ = ModelArchiveWriter.archive(of: model)
}

private func fuzzArchive(_ data: Data) {
    _ = try? BinaryPropertyList(data)
    _ = try? ArchivedValue(archive: data)
    let model = NSManagedObjectModel()
    if (try? ModelArchiveReader.read(data, source: "fuzz", into: model)) != nil { use(model) }
    if let inflated = try? Deflate.inflate(data, limit: 1 << 20) {
        _ = try? ModelArchiveReader.read(inflated, source: "fuzz", into: NSManagedObjectModel())
    }
}

private func fuzzModelFile(_ data: Data) {
    guard let tree = try? XMLTree.parse(data, file: "fuzz") else { return }
    let model = NSManagedObjectModel()
    if (try? ModelXMLReader.read(tree, file: "fuzz", into: model)) != nil { use(model) }
}

private func fuzzStore(_ data: Data) {
    let url = folder.appendingPathComponent("store.sqlite")
    for suffix in ["", "-wal", "-shm", "-journal"] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
    guard (try? data.write(to: url)) != nil else { return }
    for ignoresCache in [false, true] {
        guard let stored = try? StoredModel(ofStoreAt: url, ignoresCache: ignoresCache) else { continue }
        read(url, stored.model, isReadOnly: true)
        if stored.source == .cache { read(url, stored.model, isReadOnly: false) }
    }
}

/// Opens a store, reads everything in it, and where it may, changes and saves.
private func read(_ url: URL, _ model: NSManagedObjectModel, isReadOnly: Bool) {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let options: [AnyHashable: Any] = [NSReadOnlyPersistentStoreOption: isReadOnly]
    guard
        let store = try? coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
    else { return }
    defer { try? coordinator.remove(store) }
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    context.performAndWait {
        for entity in model.entities where entity.superentity == nil {
            guard let name = entity.name else { continue }
            let request = NSFetchRequest<NSManagedObject>(entityName: name)
            request.fetchLimit = 50
            for object in (try? context.fetch(request)) ?? [] {
                for property in object.entity.properties { _ = object.value(forKey: property.name) }
                guard !isReadOnly else { continue }
                for attribute in object.entity.attributesByName.values
                where attribute.attributeType == .stringAttributeType {
                    object.setValue("changed", forKey: attribute.name)
                }
            }
        }
        try? context.save()
    }
}
