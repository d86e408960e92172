/// The handling of a value to insert whose unique attributes another row has.
package enum TakenValues {
    /// The batch fails, and nothing is written.
    case reject
    /// The row stays as it is.
    case keepRow
    /// The row gets the attributes that were given. The closure returns their slots, for the address of a value.
    case updateRow((UnsafeRawPointer) -> SlotSet)

    /// Returns the handling that updates the row.
    ///
    /// - Parameter given: Returns the slots of the attributes that were given for a value of the batch's type.
    package static func updatingRow<T>(given: @escaping (T) -> SlotSet) -> TakenValues {
        // `RowBatch` only passes addresses of values of its type.
        .updateRow { place in given(place.assumingMemoryBound(to: T.self).pointee) }
    }
}
