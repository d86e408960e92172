/// The effects that a migration would have on a store, as found by its rehearsal.
package struct RehearsalReport: Sendable, Hashable {
    /// The rehearsed steps, one for each model. The first rejected step is the last one.
    package var steps: [Step] = []
    /// The indexes that would be created or recreated if nothing else in the model has changed.
    package var indexes = MissingIndexes.Changes()

    package init() {}

    /// Whether the store can be migrated.
    package var migrates: Bool { steps.allSatisfy(\.refusals.isEmpty) }

    /// Whether every value and every link of the store would still be there.
    package var keepsEverything: Bool {
        steps.allSatisfy { step in
            !step.findings.contains { $0.kind.isLoss } && step.removedFiles == 0
        }
    }

    /// A step from one model to the next.
    package struct Step: Sendable, Hashable {
        /// The display names of the models.
        package var from: String
        package var to: String
        package var entities: [Entity] = []
        package var findings: [Finding] = []
        /// The reasons why the store cannot be migrated; empty if it can.
        package var refusals: [String] = []
        /// The rules of its model that the migrated store would violate, and the third-party objects in the file that
        /// could not be retained.
        package var notes: [String] = []
        /// The number of files of external data that no object would reference after the migration.
        package var removedFiles = 0
        package var seconds: Double = 0
        /// The size in bytes of the store including its log.
        package var sizeBefore: Int64 = 0
        /// The size of the migrated store; nil if the step is rejected.
        package var sizeAfter: Int64?
        /// The largest size of the migrated copy. This much disk space is needed beside the store.
        package var peakSize: Int64 = 0

        package init(from: String, to: String) {
            self.from = from
            self.to = to
        }
    }

    /// The objects of one entity, without those of its subentities.
    package struct Entity: Sendable, Hashable {
        /// The name of the source entity; nil for a new entity.
        package var source: String?
        /// The name of the destination entity; nil for an entity whose objects are deleted.
        package var destination: String?
        package var rowsIn: Int64
        /// The number of objects after the migration; nil if it is rejected.
        package var rowsOut: Int64?
    }

    /// An effect on some of the store's objects, values or links.
    package struct Finding: Sendable, Hashable {
        package enum Kind: String, Sendable, CaseIterable {
            /// Objects, values or links are deleted because the new model has no property or entity for them.
            case lost
            /// Values are set to the default value of their attribute.
            case defaulted
            /// Links are deleted because the new relationship can hold fewer of them.
            case truncated
            /// Values that the new model requires are missing.
            case missing
            /// Several objects have the same values, which must be unique in the new model.
            case clash
            /// Links are deleted because they point to objects that are deleted or were already missing.
            case orphan

            /// Whether the store would contain less than before.
            var isLoss: Bool { self == .lost || self == .truncated || self == .orphan }
        }

        package var kind: Kind
        package var entity: String
        /// The name of the property; nil if the finding is about whole objects.
        package var property: String?
        package var count: Int64
        package var message: String
    }
}
