import Foundation
import SwormStore

/// The steps of a staged migration from the version of a store. They are computed and checked before any change.
struct StagedChain {
    struct Step {
        /// The custom stage; nil for a lightweight step.
        let custom: NSCustomMigrationStage?
        /// The name of the stage, for messages.
        let name: String
        let source: NSManagedObjectModel
        let destination: NSManagedObjectModel
    }

    private(set) var steps: [Step] = []

    private let stages: [NSMigrationStage]
    private let destination: NSManagedObjectModel
    private let last: String
    private let path: String

    /// Computes the steps.
    ///
    /// - Parameters:
    ///   - checksum: The checksum of the store's version.
    ///   - destination: The model of the coordinator.
    ///   - path: The path of the store, for messages.
    ///   - storedModel: A closure that returns the model of the store. It is called if no stage contains that model.
    /// - Throws: A ``CoreDataError`` if the stages do not lead to the destination, or a step cannot be inferred.
    init(
        _ stages: [NSMigrationStage], from checksum: String, to destination: NSManagedObjectModel, path: String,
        storedModel: () throws -> NSManagedObjectModel
    ) throws {
        self.stages = stages
        self.destination = destination
        self.path = path
        last = destination.versionChecksum
        try checkStages()
        let first = try stageIndex(from: checksum)
        try walk(from: first, checksum: checksum, storedModel)
        for step in steps {
            do {
                _ = try ModelMapping.inferred(from: step.source, to: step.destination)
            } catch var error as CoreDataError {
                error.message = "\(step.name) cannot be carried out. \(error.message)"
                throw error
            }
        }
    }

    // MARK: Versions

    /// Returns the versions that a stage migrates from. The version that a lightweight stage migrates to is not one of
    /// them, although the stage may contain it.
    private func sources(_ index: Int) -> [String] {
        switch stages[index] {
        case let stage as NSCustomMigrationStage: return [stage.currentModel.versionChecksum]
        case let stage as NSLightweightMigrationStage:
            let following = index + 1 < stages.count ? stages[index + 1] as? NSCustomMigrationStage : nil
            let target = index + 1 < stages.count ? following?.currentModel.versionChecksum : last
            return stage.versionChecksums.filter { $0 != target }
        default: return []
        }
    }

    /// Whether a lightweight stage names no version but its destination. It migrates from whatever version comes before.
    private func namesOnlyDestination(_ index: Int) -> Bool {
        guard let stage = stages[index] as? NSLightweightMigrationStage else { return false }
        return !stage.versionChecksums.isEmpty && sources(index).isEmpty
    }

    /// The versions of all stages, the oldest first.
    private var versions: [String] {
        var all: [String] = []
        func add(_ checksum: String) { if !all.contains(checksum) { all.append(checksum) } }
        for index in stages.indices {
            sources(index).forEach(add)
            if let custom = stages[index] as? NSCustomMigrationStage { add(custom.nextModel.versionChecksum) }
        }
        // A lightweight stage at the end migrates to the coordinator's version.
        if stages.last is NSLightweightMigrationStage { add(last) }
        return all
    }

    private func name(_ index: Int) -> String {
        "Stage \(index + 1) of \(stages.count)\(stages[index].label.map { " ('\($0)')" } ?? "")"
    }

    private func mismatch(_ what: String) -> CoreDataError {
        CoreDataError(
            NSStagedMigrationFrameworkVersionMismatchError,
            "The store '\(path)' cannot be migrated in stages: \(what) Nothing was changed.")
    }

    private func checkStages() throws {
        var owners: [String: Int] = [:]
        for index in stages.indices {
            for checksum in sources(index) {
                guard let other = owners.updateValue(index, forKey: checksum) else { continue }
                let both =
                    other == index ? "\(name(index)) names it twice" : "\(name(other)) and \(name(index)) both name it"
                throw mismatch(
                    "the stage that starts from the version \(checksum) is ambiguous, because \(both). Name each version once."
                )
            }
            guard let custom = stages[index] as? NSCustomMigrationStage else {
                guard stages[index] is NSLightweightMigrationStage else {
                    throw mismatch(
                        "\(name(index)) is neither an NSLightweightMigrationStage nor an NSCustomMigrationStage.")
                }
                continue
            }
            guard custom.currentModel.versionChecksum != custom.nextModel.versionChecksum else {
                throw mismatch("\(name(index)) migrates the version \(custom.nextModel.versionChecksum) to itself.")
            }
        }
    }

    /// Returns the index of the stage that migrates from a version.
    private func stageIndex(from checksum: String) throws -> Int {
        let versions = versions
        let known = versions.firstIndex(of: checksum)
        if let known, let end = versions.firstIndex(of: last), end < known {
            throw CoreDataError(
                NSStagedMigrationBackwardMigrationError,
                "The store '\(path)' cannot be migrated in stages: it has the version \(checksum), which is later than the version of the coordinator's model, \(last). Open it with a newer version of the program."
            )
        }
        guard versions.contains(last) else {
            throw mismatch(
                "the stages do not reach the version of the coordinator's model, \(last), but end with \(versions.last ?? "no version"). Add the missing stages."
            )
        }
        if let index = stages.indices.first(where: { sources($0).contains(checksum) }) { return index }
        guard known == nil else { throw mismatch("no stage starts from its version, \(checksum).") }
        // No later stage starts from the version, so it comes before them.
        if let first = stages.indices.first, namesOnlyDestination(first) { return first }
        throw mismatch(
            "it has the version \(checksum), and the stages have the versions \(versions.joined(separator: ", ")). A released version may have been changed, or a newer program may have written the store."
        )
    }

    // MARK: Steps

    private mutating func walk(from first: Int, checksum: String, _ storedModel: () throws -> NSManagedObjectModel)
        throws
    {
        var at = checksum
        var model = try reference(to: checksum)?.resolve() ?? storedModel()
        // The index of the current lightweight stage. The next custom stage determines its destination.
        var open: Int?
        for index in stages.indices[first...] {
            if at == last { break }
            guard let custom = stages[index] as? NSCustomMigrationStage else {
                guard open != nil || sources(index).contains(at) || namesOnlyDestination(index) else {
                    throw gap(after: at, before: index)
                }
                open = open ?? index
                if sources(index).contains(last) { break }
                continue
            }
            let begin = custom.currentModel.versionChecksum
            if let lightweight = open {
                let next = try begin == last ? destination : custom.currentModel.resolve()
                add(lightweight, custom: nil, from: model, to: next)
                (at, model, open) = (begin, next, nil)
                if at == last { break }
            }
            guard at == begin else { throw gap(after: at, before: index) }
            at = custom.nextModel.versionChecksum
            let next = try at == last ? destination : custom.nextModel.resolve()
            add(index, custom: custom, from: model, to: next)
            model = next
        }
        if let open {
            add(open, custom: nil, from: model, to: destination)
            at = last
        }
        guard at == last else {
            throw mismatch(
                "the stages migrate it to the version \(at), and the coordinator's model has the version \(last).")
        }
    }

    private mutating func add(
        _ index: Int, custom: NSCustomMigrationStage?, from source: NSManagedObjectModel,
        to destination: NSManagedObjectModel
    ) {
        if custom == nil, source.versionChecksum == destination.versionChecksum { return }
        steps.append(Step(custom: custom, name: name(index), source: source, destination: destination))
    }

    private func gap(after checksum: String, before index: Int) -> CoreDataError {
        mismatch(
            "\(name(index)) starts from \(sources(index).joined(separator: ", ")), but the stage before it ends with \(checksum). Add a stage between them."
        )
    }

    private func reference(to checksum: String) -> NSManagedObjectModelReference? {
        stages.lazy.compactMap { $0 as? NSCustomMigrationStage }.flatMap { [$0.currentModel, $0.nextModel] }
            .first { $0.versionChecksum == checksum }
    }
}
