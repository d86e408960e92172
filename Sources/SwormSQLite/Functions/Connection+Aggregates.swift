import CSwormSQLite

/// Takes the values of a group of rows together.
package protocol Accumulator: AnyObject {
    func add(_ call: borrowing FunctionContext)
    func result() -> FunctionResult
}

extension Connection {
    /// Adds an aggregate function of one argument to SQL, or replaces the one of that name. A group without rows gives NULL.
    ///
    /// Views and triggers of a file may not call it. Each group has an accumulator of its own.
    package func addAggregate(_ name: String, _ make: @escaping () -> any Accumulator) throws {
        // SQLite releases the box through the last argument, also when it refuses the function.
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
                // SQLite calls this for a statement that was stopped, too.
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

    /// Where SQLite keeps the group's accumulator; empty at first. Nil for a group without rows.
    static func slot(
        in context: OpaquePointer, isNew: Bool
    ) -> UnsafeMutablePointer<UnsafeMutableRawPointer?>? {
        let size = isNew ? Int32(MemoryLayout<UnsafeMutableRawPointer?>.size) : 0
        return sqlite3_aggregate_context(context, size)?
            .bindMemory(to: UnsafeMutableRawPointer?.self, capacity: 1)
    }
}
