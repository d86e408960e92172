#if PostgreSQL
import SwormPredicates

/// The kinds of requests that have evaluated many rows in memory, each of which is reported once.
final class ReportedKinds: Sendable {
    /// The number of rows up to which a request is not reported.
    static let rowLimit = 10_000
    /// The number of kinds to remember. A program that builds requests from the conditions of its users has any number.
    private static let kindLimit = 1000

    private let kinds = Locked<Set<String>>([])

    /// Notes a kind, and returns whether it is to be reported.
    func note(_ kind: String) -> Bool {
        kinds.withLock { $0.count < Self.kindLimit && $0.insert(kind).inserted }
    }
}

/// The report about a request that has evaluated many rows in memory.
struct MemoryReport {
    let request: FetchSpecification
    let split: SplitRequest
    /// The reason why other parts than the condition and the order are evaluated in memory.
    let reason: NotExact?
    /// The number of rows.
    let count: Int

    private var reasons: [String] {
        var result: [String] = []
        for reason in split.reasons + [reason].compactMap(\.self) where !result.contains(reason.description) {
            result.append(reason.description)
        }
        return result
    }

    /// A text that is the same for requests that differ only in their constants, their limits and their offsets.
    private var kind: String {
        let condition = split.rest.map { $0.template.format } ?? ""
        let exact = split.fetch.predicate.map { $0.template.format } ?? ""
        let order = request.sorts.map { "\($0.path) \($0.ascending) \($0.options.rawValue)" }
        return ["\(request.entity)", condition, exact, "\(order)", "\(reasons)"].joined(separator: "\n")
    }

    /// Passes the report to the listeners of the store, if it is the first one for requests of this kind.
    func send(to store: PostgresStore) {
        guard count > ReportedKinds.rowLimit, store.schema.reading.reportedKinds.note(kind) else { return }
        let entity = store.model[request.entity].name
        // The condition is not in the message, because its values may be secret.
        let list = reasons.isEmpty ? "" : ": \(reasons.joined(separator: "; "))"
        store.upkeep.warnings.report(
            CoreDataError(
                NSPersistentStoreOperationError,
                "A request for \(entity) has evaluated \(count) rows in memory\(list). Each of them was sent to the program, and their number grows with the table. Add a condition that the server evaluates and few rows meet, or change the request; `explain` names the part. With the configuration `evaluationInMemory: .refuse`, such a request throws an error. Further requests of this kind are not reported.",
                entity: entity))
    }
}
#endif
