/// What a migration would do to a store, as its rehearsal found.
package struct RehearsalReport: Sendable, Hashable {
    /// The steps that were rehearsed, one for each model. After one that is refused there is no other.
    package var steps: [Step] = []
    /// The indexes that would be made, or made anew, where nothing else of the model has changed.
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

    /// From one model to the next.
    package struct Step: Sendable, Hashable {
        /// The names of the models, for people.
        package var from: String
        package var to: String
        package var entities: [Entity] = []
        package var findings: [Finding] = []
        /// Why the store cannot be migrated; empty where it can.
        package var refusals: [String] = []
        /// What the migrated store would break of the rules of its model, and what others had put into the file and could
        /// not stay.
        package var notes: [String] = []
        /// The files of external data that no object would have any more.
        package var removedFiles = 0
        package var seconds: Double = 0
        /// The size in bytes of the store with its log.
        package var sizeBefore: Int64 = 0
        /// The size of the migrated store; nil for one that is refused.
        package var sizeAfter: Int64?
        /// The size of the migrated copy when it was largest. So much room is needed beside the store.
        package var peakSize: Int64 = 0

        package init(from: String, to: String) {
            self.from = from
            self.to = to
        }
    }

    /// The objects of one entity, without those of its subentities.
    package struct Entity: Sendable, Hashable {
        /// Nil for an entity that is new.
        package var source: String?
        /// Nil for an entity whose objects go.
        package var destination: String?
        package var rowsIn: Int64
        /// Nil where the migration is refused.
        package var rowsOut: Int64?
    }

    /// Something that happens to some of the store's objects, values or links.
    package struct Finding: Sendable, Hashable {
        package enum Kind: String, Sendable, CaseIterable {
            /// Objects, values or links go, as the new model has no place for them.
            case lost
            /// Values are set to the default value of their attribute.
            case defaulted
            /// Links go, as fewer than there are can stay.
            case truncated
            /// Values are missing that the new model demands.
            case missing
            /// Values are those of several objects that the new model wants to be unique.
            case clash
            /// Links go, as they lead to objects that go, or that were not there before.
            case orphan

            /// Whether the store would have less than before.
            var isLoss: Bool { self == .lost || self == .truncated || self == .orphan }
        }

        package var kind: Kind
        package var entity: String
        /// Nil where it is about whole objects.
        package var property: String?
        package var count: Int64
        package var message: String
    }
}
