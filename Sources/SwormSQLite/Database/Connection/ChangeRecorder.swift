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

    /// The names of the tables with changes.
    package private(set) var tables: [String] = []
    /// The changes in the order in which they were made.
    package private(set) var changes: [Change] = []
    private var last: (name: UnsafePointer<CChar>, index: Int)?

    package init() {}

    /// Removes the changes that were recorded after the given number of changes, because they were rolled back.
    package func cut(to count: Int) { changes.removeSubrange(min(count, changes.count)...) }

    func note(_ code: Int32, table: UnsafePointer<CChar>, key: Int64) {
        guard let kind = Kind(rawValue: code) else { return }
        changes.append(Change(table: index(of: table), kind: kind, key: key))
    }

    private func index(of name: UnsafePointer<CChar>) -> Int {
        // SQLite passes the name in its schema, which is at the same address for all rows of a statement. A changed
        // schema may use the address for another name.
        if let last, last.name == name, strcmp(name, tables[last.index]) == 0 { return last.index }
        let string = String(cString: name)
        let index = tables.firstIndex(of: string) ?? tables.count
        if index == tables.count { tables.append(string) }
        last = (name, index)
        return index
    }
}

extension Connection {
    func installRecorder() {
        guard let recorder else {
            sqlite3_update_hook(pointer, nil, nil)
            return
        }
        // Unretained, because the connection retains the recorder until it has replaced the hook.
        sqlite3_update_hook(
            pointer,
            { context, code, _, table, key in
                guard let context, let table else { return }
                Unmanaged<ChangeRecorder>.fromOpaque(context).takeUnretainedValue().note(code, table: table, key: key)
            }, Unmanaged.passUnretained(recorder).toOpaque())
    }
}
