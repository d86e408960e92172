import CSwormSQLite
import Foundation

/// A recorder of the rows that a connection inserts, updates and deletes, including those that triggers change.
///
/// SQLite reports neither the rows of a `DELETE` without a condition, nor the rows of a table without row ids, nor the
/// rows that an insertion replaces.
package final class ChangeRecorder {
    /// The kind of a change, with SQLite's codes.
    package enum Kind: Int32, Sendable {
        case deletion = 9
        case insertion = 18
        case update = 23
    }

    /// A change of one row.
    package struct Change: Sendable {
        /// The index of the table in ``ChangeRecorder/tables``.
        package let table: Int
        package let kind: Kind
        package let key: Int64
    }

    fileprivate struct Content {
        var tables: [String] = []
        var changes: [Change] = []
        var changedTables: [Int] = []
        /// The names of the tables as C strings.
        var names: [UnsafeMutablePointer<CChar>?] = []
        /// The addresses at which SQLite had the names of the tables.
        var addresses: [UnsafePointer<CChar>?] = []
    }

    /// Unchecked exclusivity is safe, because no access calls code outside this file, and it is accessed once for each
    /// changed row.
    @exclusivity(unchecked) private var content = Content()

    /// The number of changes above which the memory for them is not kept for the next transaction.
    private static let keptChanges = 1024

    init() {}

    deinit { for name in content.names { free(name) } }

    /// The names of the tables in which the connection has ever recorded a change.
    package var tables: [String] { content.tables }
    /// The changes in the order in which they were made.
    package var changes: [Change] { content.changes }
    /// The tables with changes since the recording has started, also with changes that were rolled back.
    package var changedTables: [Int] { content.changedTables }

    /// Removes all recorded changes.
    func removeAll() { content.removeAll(keepingCapacity: content.changes.count <= Self.keptChanges) }

    func cut(to count: Int) {
        if count < content.changes.count { content.changes.removeSubrange(count...) }
    }

    func note(_ code: Int32, table: UnsafePointer<CChar>, key: Int64) {
        guard let kind = Kind(rawValue: code) else { return }
        content.note(kind, table: table, key: key)
    }
}

extension ChangeRecorder.Content {
    mutating func removeAll(keepingCapacity: Bool) {
        changes.removeAll(keepingCapacity: keepingCapacity)
        changedTables.removeAll(keepingCapacity: true)
    }

    mutating func note(_ kind: ChangeRecorder.Kind, table name: UnsafePointer<CChar>, key: Int64) {
        let table = index(of: name)
        if !changedTables.contains(table) { changedTables.append(table) }
        changes.append(ChangeRecorder.Change(table: table, kind: kind, key: key))
    }

    private mutating func index(of name: UnsafePointer<CChar>) -> Int {
        // SQLite passes the name in its schema, which is at the same address for all rows of a table. A changed schema
        // may use the address for another name.
        for index in addresses.indices where addresses[index] == name {
            if let known = names[index], strcmp(name, known) == 0 { return index }
        }
        let string = String(cString: name)
        if let index = tables.firstIndex(of: string) {
            addresses[index] = name
            return index
        }
        tables.append(string)
        names.append(strdup(name))
        addresses.append(name)
        return tables.count - 1
    }
}

extension Connection {
    /// Starts to record the changes of rows.
    package func startRecording() -> ChangeRecorder {
        recorder.removeAll()
        isRecording = true
        return recorder
    }

    /// Ends the recording. The recorded changes remain until the next one starts.
    package func stopRecording() { isRecording = false }

    /// The number of changes that were recorded since the recording has started.
    package var recordedChanges: Int { isRecording ? recorder.changes.count : 0 }

    /// Forgets the changes that were recorded after the given number of changes, because they were rolled back.
    package func forgetChanges(after count: Int) { if isRecording { recorder.cut(to: count) } }

    func installRecorder() {
        guard isRecording else {
            sqlite3_update_hook(pointer, nil, nil)
            return
        }
        // Unretained, because the connection retains the recorder.
        sqlite3_update_hook(
            pointer,
            { context, code, _, table, key in
                guard let context, let table else { return }
                Unmanaged<ChangeRecorder>.fromOpaque(context).takeUnretainedValue().note(code, table: table, key: key)
            }, Unmanaged.passUnretained(recorder).toOpaque())
    }
}
