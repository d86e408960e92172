import Foundation
import OpenCoreData
import SwormPredicates
import SwormStore

/// A version in a folder of frozen versions, as it is now.
struct FrozenVersion {
    enum State { case intact, changed, missing }

    let folder: FrozenFolder
    let names: FrozenNames
    let manifest: FrozenManifest

    /// - Throws: ``ToolError`` if the manifest cannot be read.
    init(_ version: String, in folder: FrozenFolder) throws {
        self.folder = folder
        let file = version + FrozenNames.manifestSuffix
        do {
            manifest = try FrozenManifest(contentsOf: folder.file(file))
            names = try FrozenNames(version: version, model: manifest.model)
        } catch {
            throw ToolError(
                .file, "'\(folder.path)/\(file)' is not the manifest of a frozen version",
                hint: "restore the file, or freeze the version again")
        }
    }

    /// Returns what happened to a file since it was written.
    func state(of name: String) -> State {
        guard let digest = try? FrozenManifest.digest(of: folder.file(name)) else { return .missing }
        return digest == manifest.files[name] ? .intact : .changed
    }

    /// Returns the model of the version: that of a part that was not changed, or else of any part that can be read.
    func model() -> NSManagedObjectModel? {
        // The copy in the store has what the document cannot express.
        let parts = [names.store, names.modelDocument]
        let intact = parts.filter { state(of: $0) == .intact }
        for part in intact + parts.filter({ !intact.contains($0) }) {
            guard let model = try? model(in: part) else { continue }
            if intact.contains(names.modelDocument), let document = try? self.model(in: names.modelDocument) {
                model.requestTemplates = document.requestTemplates
                model.addMissingPredicates(of: document)
            }
            return model
        }
        return nil
    }

    /// Returns whether the model of the version has the request templates of what was frozen. The copy of a model in a
    /// store has none.
    func knowsTemplates(of model: NSManagedObjectModel) -> Bool {
        state(of: names.modelDocument) == .intact && (manifest.source != nil || !model.requestTemplates.isEmpty)
    }

    /// Whether the model of the version has all predicates of what was frozen. Without the document, it may lack some
    /// of them, and so does a document that was made of the copy in a store.
    var knowsPredicates: Bool { state(of: names.modelDocument) == .intact && manifest.source != nil }

    /// - Parameter part: The name of the store, or of the document of the model.
    func model(in part: String) throws -> NSManagedObjectModel {
        guard part == names.store else {
            return try NSManagedObjectModel.load(contentsOf: folder.file(names.modelFolder))
        }
        let stored = try StoredModel(ofStoreAt: folder.file(part))
        guard stored.source == .cache else {
            throw ToolError(.modelNeeded, "'\(part)' has no copy of its model")
        }
        return stored.model
    }
}
