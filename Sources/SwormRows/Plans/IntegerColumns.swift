/// The layout of rows that have integers behind their values, such as keys.
package struct IntegerColumns: Sendable {
    package let layout: RowLayout
    /// The offset of the first integer in the memory of a row.
    package let start: Int

    /// Creates the layout for values and columns of integers.
    ///
    /// - Parameters:
    ///   - values: The layout of the values. It must create the values itself, and not leave that to the plans of kinds of
    ///     rows.
    ///   - customs: Further closures for columns of the values.
    ///   - columns: The columns of the integers, which have a value in every row.
    package init(after values: RowLayout, customs: [RowLayout.Custom] = [], columns: [Int32]) {
        let (size, alignment) = (MemoryLayout<Int64>.size, MemoryLayout<Int64>.alignment)
        let start = (values.stride + alignment - 1) / alignment * alignment
        self.start = start
        let all = max(alignment, values.alignment)
        let end = start + columns.count * size
        let ops = columns.indices.map { RowOp(column: columns[$0], kind: .int64, offset: start + $0 * size) }
        layout = RowLayout(
            ops: values.ops + ops, customs: values.customs + customs, stride: (end + all - 1) / all * all,
            alignment: all,
            start: values.start, make: values.make, copy: values.copy, destroy: values.destroy,
            variants: values.variants, mistake: values.mistake)
    }
}
