import Foundation
import OpenCoreData
import SwormPredicates
import SwormStore

/// A difference that a check has found.
struct FrozenDrift: Hashable {
    var version: String
    /// The file of the frozen version that differs; nil for the current model.
    var file: String?
    var message: String

    var line: String { "\(version): " + (file.map { "\($0): " } ?? "") + message }
}

extension FrozenVersion {
    /// Returns how the files of the version differ from what was written, and from each other.
    func drifts() -> [FrozenDrift] {
        let missing = names.parts.filter { state(of: $0) == .missing }.map { drift($0, saying: "is missing") }
        let first = manifestDrifts + missing
        guard let model = model() else {
            return first + [FrozenDrift(version: names.version, message: "no file has a model that can be read")]
        }
        let parts = FrozenParts(names: names, model: model)
        return first + recordDrifts(model) + documentDrifts(model)
            + sourceDrifts(names.tables, expecting: parts.tables)
            + sourceDrifts(names.schema, expecting: parts.schema) + storeDrifts(model)
    }

    private func drift(_ file: String, saying message: String) -> FrozenDrift {
        FrozenDrift(version: names.version, file: file, message: message)
    }

    /// Returns the drifts with the lines; without any, one that says that the file was changed, if it was.
    private func drifts(_ file: String, saying lines: [String]) -> [FrozenDrift] {
        if lines.isEmpty, state(of: file) == .changed {
            return [drift(file, saying: "was changed after it was frozen")]
        }
        return lines.map { drift(file, saying: $0) }
    }

    private var manifestDrifts: [FrozenDrift] {
        guard manifest.version != names.version else { return [] }
        let version = SwiftNames.oneLine(manifest.version)
        return [drift(names.manifest, saying: "is the manifest of the version '\(version)'")]
    }

    private func recordDrifts(_ model: NSManagedObjectModel) -> [FrozenDrift] {
        guard state(of: names.record) != .missing else { return [] }
        do {
            let record = try ReleasedModel(contentsOf: folder.file(names.record))
            return drifts(names.record, saying: ReleasedModel(model).differences(to: record))
        } catch {
            return [drift(names.record, saying: "is not a record of version hashes")]
        }
    }

    private func documentDrifts(_ model: NSManagedObjectModel) -> [FrozenDrift] {
        let file = names.modelDocument
        let state = state(of: file)
        guard state != .missing else { return [] }
        do {
            let found = try self.model(in: file)
            // An unchanged document says the same, in other words for some features.
            let isSame = state == .intact && found.entityVersionHashesByName == model.entityVersionHashesByName
            return drifts(file, saying: isSame ? [] : ModelDrift.lines(from: model, to: found, copies: [.old]))
        } catch {
            return [drift(file, saying: "is not a model: \(ErrorText.message(of: error))")]
        }
    }

    private func sourceDrifts(_ file: String, expecting text: () throws -> String) -> [FrozenDrift] {
        // An unchanged source may have been written by another version of this tool.
        guard state(of: file) == .changed else { return [] }
        guard let found = try? String(contentsOf: folder.file(file), encoding: .utf8), let text = try? text() else {
            return [drift(file, saying: "is not Swift that can be read")]
        }
        return drifts(file, saying: SourceDrift.lines(from: text, to: found))
    }

    private func storeDrifts(_ model: NSManagedObjectModel) -> [FrozenDrift] {
        let file = names.store
        guard state(of: file) != .missing else { return [] }
        do {
            let url = folder.file(file)
            let hashes = try StoreInspector(url: url).metadata.versionHashes
            guard hashes == model.entityVersionHashesByName else {
                let other =
                    (try? self.model(in: file)).map { ModelDrift.lines(from: model, to: $0, copies: [.new]) } ?? []
                return drifts(file, saying: other.isEmpty ? ["the store was written with another model"] : other)
            }
            let findings = try StoreVerification.findings(of: url, model: model.compiled())
            return drifts(file, saying: findings.filter { $0.severity == .error }.map(\.message))
        } catch {
            return [drift(file, saying: "is not a store: \(ErrorText.message(of: error))")]
        }
    }
}
