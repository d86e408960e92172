/// The numbers of the steps that a center has taken.
struct LiveSteps: Sendable {
    /// The number of times that commits were handled.
    var wakes = 0
    /// The number of snapshots that were read.
    var reads = 0
    /// The number of statements that tested changed rows against a condition.
    var tests = 0
    /// The number of results of which only the changed rows were read.
    var patches = 0
    /// The number of results that were read completely.
    var reruns = 0
    /// The number of results that were delivered.
    var deliveries = 0
}
