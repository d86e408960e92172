/// The slots of columns that are not attributes, in requests for values.
package enum PseudoSlot {
    /// The version, which increases with each change of the row.
    package static var version: Int { -2 }
    /// The number of the row's entity.
    package static var entity: Int { -3 }

    /// Returns the name of the column, or nil for the slot of an attribute.
    static func column(_ slot: Int) -> String? {
        switch slot {
        case version: "Z_OPT"
        case entity: "Z_ENT"
        default: nil
        }
    }
}
