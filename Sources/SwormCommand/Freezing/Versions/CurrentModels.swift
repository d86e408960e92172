import Foundation
import OpenCoreData

/// The versions of the current model, which are compared with the frozen ones.
struct CurrentModels {
    private let versions: [(name: String, model: NSManagedObjectModel)]
    /// Whether the model file is one of all versions, even if only one of them is left.
    private let isSeries: Bool
    /// Whether the models are those of model files, with their request templates.
    private let areFiles: Bool

    init(_ versions: [(name: String, model: NSManagedObjectModel)], isSeries: Bool, areFiles: Bool) {
        (self.versions, self.isSeries, self.areFiles) = (versions, isSeries, areFiles)
    }

    /// Returns how the current model differs from the frozen versions, and the names of those that it was compared with.
    ///
    /// A model file for all versions must have every frozen one. A single model is one version: it is compared with the
    /// most similar of the frozen ones.
    func drifts(from frozen: [FrozenVersion]) -> (versions: [String], drifts: [FrozenDrift]) {
        let models = frozen.compactMap { version in version.model().map { (version, $0) } }
        guard !isSeries, let only = versions.first else {
            let all = models.flatMap { version, model in drifts(of: version, from: model) }
            return (frozen.map(\.names.version), all)
        }
        let all = models.map { version, model in
            (name: version.names.version, drifts: differences(of: version, from: model, to: only.model))
        }
        // Of equally similar ones, the last one.
        guard let nearest = all.reversed().min(by: { $0.drifts.count < $1.drifts.count }) else { return ([], []) }
        return ([nearest.name], nearest.drifts)
    }

    private func drifts(of version: FrozenVersion, from model: NSManagedObjectModel) -> [FrozenDrift] {
        let hashes = model.entityVersionHashesByName
        let equal = versions.filter { $0.model.entityVersionHashesByName == hashes }
        let named = versions.filter { $0.name == version.manifest.source }
        let candidates = equal.isEmpty ? named.isEmpty ? versions : named : equal
        let all = candidates.map { candidate in
            (name: candidate.name, drifts: differences(of: version, from: model, to: candidate.model))
        }
        guard let nearest = all.min(by: { $0.drifts.count < $1.drifts.count }) else { return [] }
        let drifts = nearest.drifts.map { drift in
            FrozenDrift(version: drift.version, message: "\(nearest.name): \(drift.message)")
        }
        guard equal.isEmpty, named.isEmpty else { return drifts }
        let message = "the current model no longer has this version; the most similar one is \(nearest.name)"
        return [FrozenDrift(version: version.names.version, message: message)] + drifts
    }

    private func differences(
        of version: FrozenVersion, from model: NSManagedObjectModel, to current: NSManagedObjectModel
    ) -> [FrozenDrift] {
        let hasTemplates = areFiles || !current.requestTemplates.isEmpty
        var copies: Set<ModelDrift.Side> = areFiles ? [] : [.new]
        if !version.knowsPredicates { copies.insert(.old) }
        let lines = ModelDrift.lines(
            from: model, to: current, comparesTemplates: hasTemplates && version.knowsTemplates(of: model),
            copies: copies)
        return lines.map { FrozenDrift(version: version.names.version, message: $0) }
    }
}
