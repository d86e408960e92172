import Foundation
import OpenCoreData

/// The versions of the current model, which are compared with the frozen ones.
struct CurrentModels {
    private let versions: [(name: String, model: NSManagedObjectModel)]

    init(_ versions: [(name: String, model: NSManagedObjectModel)]) { self.versions = versions }

    /// Returns how the current model differs from the frozen versions.
    ///
    /// A model file with several versions must have every frozen one. A single model is one version: it is compared with
    /// the most similar of the frozen ones.
    func drifts(from frozen: [FrozenVersion]) -> [FrozenDrift] {
        let models = frozen.compactMap { version in version.model().map { (version, $0) } }
        guard versions.count == 1, let only = versions.first else {
            return models.flatMap { version, model in drifts(of: version, from: model) }
        }
        let all = models.map { version, model in Self.drifts(of: version, from: model, to: only.model) }
        // Of equally similar ones, the last one.
        return all.reversed().min { $0.count < $1.count } ?? []
    }

    private func drifts(of version: FrozenVersion, from model: NSManagedObjectModel) -> [FrozenDrift] {
        let hashes = model.entityVersionHashesByName
        let equal = versions.filter { $0.model.entityVersionHashesByName == hashes }
        let named = versions.filter { $0.name == version.manifest.source }
        let candidates = equal.isEmpty ? named.isEmpty ? versions : named : equal
        let all = candidates.map { candidate in
            Self.drifts(of: version, from: model, to: candidate.model).map { drift in
                var drift = drift
                drift.message = "\(candidate.name): \(drift.message)"
                return drift
            }
        }
        return all.min { $0.count < $1.count } ?? []
    }

    private static func drifts(
        of version: FrozenVersion, from model: NSManagedObjectModel, to current: NSManagedObjectModel
    ) -> [FrozenDrift] {
        ModelDrift.lines(from: model, to: current).map { FrozenDrift(version: version.names.version, message: $0) }
    }
}
