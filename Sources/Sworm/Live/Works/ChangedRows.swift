import SwormPredicates

/// The rows of one type that commits have changed, as the snapshot after them has them.
final class ChangedRows {
    /// An inserted or updated row.
    struct Row {
        let key: Int64
        let subject: any EvaluationSubject
    }

    /// The inserted rows that exist in the snapshot.
    let inserted: [Row]
    /// The updated rows that exist in the snapshot.
    let updated: [Row]
    /// The keys of all updated rows.
    let updatedKeys: Set<Int64>
    let deletedKeys: Set<Int64>
    private let table: AnyObject

    private final class Table<T: ManagedObjectConvertible> {
        let records: [Int64: LiveRecord<T>]
        init(_ records: [Int64: LiveRecord<T>]) { self.records = records }
    }

    /// - Parameter records: The inserted and updated rows that exist, by their keys.
    init<T: ManagedObjectConvertible>(_ rows: CommittedChanges.Rows, _ records: [Int64: LiveRecord<T>]) {
        func existing(_ keys: Set<Int64>) -> [Row] {
            keys.compactMap { key in
                records[key].map { record in
                    Row(key: key, subject: RememberingSubject(ValueSubject(record.value, mapping: T.mapping)))
                }
            }
        }
        inserted = existing(rows.inserted)
        updated = existing(rows.updated)
        updatedKeys = rows.updated
        deletedKeys = rows.deleted
        table = Table(records)
    }

    /// Returns the inserted and updated rows that exist, by their keys.
    func records<T: ManagedObjectConvertible>(of type: T.Type) -> [Int64: LiveRecord<T>] {
        (table as? Table<T>)?.records ?? [:]
    }
}

/// A subject that reads each attribute once, because the conditions of many requests ask for the same ones.
private final class RememberingSubject: EvaluationSubject {
    private let subject: any EvaluationSubject
    private var values: [(key: String, value: EvaluationValue)] = []

    init(_ subject: any EvaluationSubject) { self.subject = subject }

    var reference: ObjectReference? { subject.reference }

    func predicateValue(forKey key: String) throws -> EvaluationValue {
        if let known = values.first(where: { $0.key == key }) { return known.value }
        let value = try subject.predicateValue(forKey: key)
        values.append((key, value))
        return value
    }
}
