import CSwormSQLite

/// An aggregate of the values of a group of rows.
package protocol Accumulator: AnyObject {
    func add(_ call: borrowing FunctionContext)
    func result() -> FunctionResult
}

extension Connection {
    /// Adds an aggregate function of one argument to SQL, or replaces the one with that name. A group without rows
    /// results in NULL.
    ///
    /// Views and triggers of a file may not call it. Each group has a separate accumulator.
    package func addAggregate(_ name: String, _ make: @escaping () -> any Accumulator) throws {
        // SQLite releases the box through the last argument, even if it rejects the function.
        let code = sqlite3_create_function_v2(
            pointer, name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
            Unmanaged.passRetained(AggregateBox(make)).toOpaque(), nil,
            { context, count, values in
                guard let context, let data = sqlite3_user_data(context) else { return }
                guard let slot = AccumulatorBox.slot(in: context, isNew: true) else {
                    sqlite3_result_error_nomem(context)
                    return
                }
                let box: AccumulatorBox
                if let kept = slot.pointee {
                    box = Unmanaged<AccumulatorBox>.fromOpaque(kept).takeUnretainedValue()
                } else {
                    box = AccumulatorBox(Unmanaged<AggregateBox>.fromOpaque(data).takeUnretainedValue().make())
                    slot.pointee = Unmanaged.passRetained(box).toOpaque()
                }
                box.accumulator.add(FunctionContext(context: context, arguments: values, argumentCount: Int(count)))
            },
            { context in
                // SQLite also calls this function for a statement that was stopped.
                guard let context, let slot = AccumulatorBox.slot(in: context, isNew: false), let kept = slot.pointee
                else { return }
                slot.pointee = nil
                let box = Unmanaged<AccumulatorBox>.fromOpaque(kept).takeRetainedValue()
                FunctionContext(context: context, arguments: nil, argumentCount: 0).setResult(box.accumulator.result())
            },
            { box in
                if let box { Unmanaged<AggregateBox>.fromOpaque(box).release() }
            })
        if code != SQLITE_OK { throw failure(code) }
    }
}

private final class AggregateBox {
    let make: () -> any Accumulator
    init(_ make: @escaping () -> any Accumulator) { self.make = make }
}

private final class AccumulatorBox {
    let accumulator: any Accumulator
    init(_ accumulator: any Accumulator) { self.accumulator = accumulator }

    /// Returns the location where SQLite stores the group's accumulator, which is empty at first, or nil for a group
    /// without rows.
    static func slot(
        in context: OpaquePointer, isNew: Bool
    ) -> UnsafeMutablePointer<UnsafeMutableRawPointer?>? {
        let size = isNew ? Int32(MemoryLayout<UnsafeMutableRawPointer?>.size) : 0
        return sqlite3_aggregate_context(context, size)?
            .bindMemory(to: UnsafeMutableRawPointer?.self, capacity: 1)
    }
}
