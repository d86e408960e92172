/// The plans for rows of different kinds in one result: a column of each row identifies its kind, and each kind has columns and
/// a type of its own, whose value is then made into a value of the common type.
package struct RowVariants: Sendable {
    /// One kind of row.
    package struct Variant: Sendable {
        package let layout: RowLayout
        /// Moves a value of the kind out of its memory, into the memory of a value of the common type.
        package let move: @Sendable (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Void

        /// Creates a kind of row.
        ///
        /// - Parameters:
        ///   - plan: The plan for rows of the kind. Its columns are those of the common statement.
        ///   - move: Moves a value of the plan's type out of the memory at the first address, and initializes the memory of
        ///     the common type at the second one with it; in a plan that creates values first, it assigns to such a value.
        package init<Part>(
            _ plan: RowPlan<Part>, move: @escaping @Sendable (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Void
        ) {
            layout = plan.layout
            self.move = move
        }
    }

    /// The column with the number of the row's kind.
    package let column: Int32
    /// The number of the first kind.
    let first: Int
    /// The index of the variant for each number from the first one on; -1 for numbers without a variant.
    let indices: [Int]
    package let variants: [Variant]

    package init(_ variants: [Variant], by column: Int32, from first: Int, indices: [Int]) {
        self.variants = variants
        self.column = column
        self.first = first
        self.indices = indices
    }

    /// Returns the index of the variant for a number; nil for any other number.
    package func index(of number: Int64) -> Int? {
        let place = Int(truncatingIfNeeded: number &- Int64(first))
        guard indices.indices.contains(place), indices[place] >= 0 else { return nil }
        return indices[place]
    }
}

/// The error for a row of a kind for which there is no plan.
package struct UnknownRowKind: Error {
    /// The number of the kind, and the key of the row.
    package let number: Int64
    package let rowID: Int64

    package init(number: Int64, rowID: Int64) {
        self.number = number
        self.rowID = rowID
    }
}
