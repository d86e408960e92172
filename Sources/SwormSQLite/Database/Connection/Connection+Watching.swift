import CSwormSQLite
import Foundation
import SwormRows

extension Connection {
    /// A statement that has started and not ended.
    struct Running {
        let pointer: OpaquePointer
        // SQLite measures only whole milliseconds.
        let start: ContinuousClock.Instant
        var rows = 0
    }

    func installWatch() {
        guard watch != nil else {
            sqlite3_trace_v2(pointer, 0, nil, nil)
            running = []
            return
        }
        // Unretained, because the connection would otherwise retain itself. `deinit` removes the observer before
        // SQLite could call it again.
        sqlite3_trace_v2(
            pointer, UInt32(SQLITE_TRACE_STMT | SQLITE_TRACE_ROW | SQLITE_TRACE_PROFILE),
            { kind, context, statement, text in
                guard let context, let statement else { return 0 }
                let connection = Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue()
                connection.note(Int32(bitPattern: kind), statement: OpaquePointer(statement), text: text)
                return 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func note(_ kind: Int32, statement: OpaquePointer, text: UnsafeMutableRawPointer?) {
        guard !isSilent else { return }
        switch kind {
        case SQLITE_TRACE_STMT:
            // For a statement inside a trigger, SQLite passes a comment instead of the text.
            guard let text, let own = sqlite3_sql(statement),
                strcmp(own, text.assumingMemoryBound(to: CChar.self)) == 0
            else { return }
            running.removeAll { $0.pointer == statement }
            running.append(Running(pointer: statement, start: .now))
        case SQLITE_TRACE_ROW:
            guard let index = running.lastIndex(where: { $0.pointer == statement }) else { return }
            running[index].rows += 1
        case SQLITE_TRACE_PROFILE:
            // A statement that started before there was an observer is not reported.
            guard let index = running.lastIndex(where: { $0.pointer == statement }) else { return }
            report(running.remove(at: index))
        default: break
        }
    }

    private func report(_ ended: Running) {
        guard let watch, let sql = sqlite3_sql(ended.pointer) else { return }
        var statement = RunStatement(
            sql: String(cString: sql), seconds: ended.start.duration(to: .now).inSeconds,
            rows: ended.rows, steps: Int(sqlite3_stmt_status(ended.pointer, SQLITE_STMTSTATUS_VM_STEP, 1)))
        if watch.wantsValues, let expanded = sqlite3_expanded_sql(ended.pointer) {
            statement.sqlWithValues = String(cString: expanded)
            sqlite3_free(expanded)
        }
        watch.report(statement)
    }

    /// Reports the query plan of a statement that was just prepared, if an observer requested it.
    func reportPlan(of sql: String) {
        guard !isSilent, let report = watch?.reportPlan else { return }
        // Statements without a plan, such as pragmas, are not reported.
        guard let steps = try? queryPlan(of: sql), !steps.isEmpty else { return }
        report(sql, steps)
    }
}
