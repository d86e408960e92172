/// The plans for rows of different kinds in one result: a column of each row identifies its kind, and each kind has columns and
/// a type of its own, whose value is then made into a value of the common type.
package struct RowVariants: Sendable {
    /// One kind of row.
    struct Variant: Sendable {
        let layout: RowLayout
        /// Moves a value of the kind out of its memory, and assigns it to a value of the common type.
        let assign: @Sendable (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Void
    }

    /// The column with the number of the row's kind.
    package let column: Int32
    /// The number of the first kind.
    let first: Int
    /// The index of the variant for each number from the first one on; -1 for numbers without a variant.
    let indices: [Int]
    let variants: [Variant]

    package var count: Int { variants.count }

    /// Returns the index of the variant for a number; nil if there is none.
    package func index(of number: Int64) -> Int? {
        let place = Int(truncatingIfNeeded: number &- Int64(first))
        guard indices.indices.contains(place), indices[place] >= 0 else { return nil }
        return indices[place]
    }

    package func layout(_ index: Int) -> RowLayout { variants[index].layout }

    /// Moves a value out of its memory, and assigns it to a value of the common type.
    ///
    /// Unsafe: the first address must be that of a value of the variant's type, the second one that of a value of the
    /// common type.
    package func assign(_ index: Int, from source: UnsafeMutableRawPointer, to place: UnsafeMutableRawPointer) {
        variants[index].assign(source, place)
    }
}

extension RowPlan {
    /// One kind of row in a plan for several kinds.
    package struct Variant: Sendable {
        let variant: RowVariants.Variant

        /// Creates a kind of row.
        ///
        /// - Parameters:
        ///   - plan: The plan for rows of the kind. Its columns are those of the common statement.
        ///   - assign: Assigns a value of the kind to a value of the common type.
        package init<Part>(_ plan: RowPlan<Part>, assign: @escaping @Sendable (inout T, consuming Part) -> Void) {
            // The closures accept any addresses as those of their types: only `RowReader` calls them, with memory that it
            // allocated for the variant's layout and for that of the plan.
            variant = RowVariants.Variant(layout: plan.layout) { source, place in
                assign(
                    &place.assumingMemoryBound(to: T.self).pointee, source.assumingMemoryBound(to: Part.self).move())
            }
        }
    }

    /// Creates a plan for rows of several kinds.
    ///
    /// - Parameters:
    ///   - ops: The columns that all rows have in common.
    ///   - variants: The kinds of rows.
    ///   - column: The column with the number of the row's kind.
    ///   - first: The number of the first kind.
    ///   - indices: The index of the variant for each number from the first one on; -1 for numbers without a variant.
    ///   - make: Creates a value, into which the common columns and then the value of a variant are written.
    package init(
        ops: [RowOp], variants: [Variant], by column: Int32, from first: Int, indices: [Int],
        make: @escaping @Sendable () -> T
    ) {
        self.init(
            ops: ops, customs: [],
            variants: RowVariants(
                column: column, first: first, indices: indices, variants: variants.map(\.variant)),
            makesEach: false, make: make)
    }
}
