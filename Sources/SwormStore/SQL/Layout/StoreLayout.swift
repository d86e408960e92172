/// The names of the tables and columns that store a model's properties.
///
/// `init(model:)` creates the layout that a model implies. A migrated file may use other names; a store that opens
/// such a file combines the model and the file into its layout.
package struct StoreLayout: Sendable {
    /// A table by the number of its root entity.
    package struct Table: Sendable {
        package var name: String
        /// The columns in the order in which a new table declares them, `Z_PK`, `Z_ENT`, `Z_OPT` included.
        var columns: [Column]
    }

    struct Column: Sendable, Hashable {
        var name: String
        /// The declared type: `INTEGER`, `VARCHAR`, ...
        var declaredType: String
    }

    /// The columns of a to-one relationship.
    package struct ToOne: Sendable, Hashable {
        package var column: String
        /// The column with the destination's entity number, or nil if the destination has no sub-entities.
        package var entityColumn: String?
    }

    /// The storage of a to-many relationship.
    package enum ToMany: Sendable, Hashable {
        /// The to-one column of the inverse, in the destination's table.
        case inverse(column: String, orderColumn: String?)
        /// A column of the destination's table that holds the owner's key, for a relationship without an inverse.
        case oneWay(column: String, orderColumn: String?)
        /// A join table, seen from this side.
        case join(Join)
    }

    /// A join table seen from one of its two sides.
    package struct Join: Sendable, Hashable {
        package var table: String
        /// The column with the keys of the objects on this side.
        package var ownColumn: String
        /// The column with the keys of the objects on the other side.
        package var otherColumn: String
        /// The column that orders the other side's objects for one object of this side.
        package var orderColumn: String?
        /// The column that orders this side's objects for one object of the other side.
        package var inverseOrderColumn: String?
        /// Whether the table is named after this side.
        package var isOwner: Bool
        /// Whether the relationship is its own inverse, in a layout that does not say so by the name of the other
        /// column.
        package var isSymmetric = false
    }

    /// The tables, by the number of the root entity.
    package var tables: [Int: Table] = [:]
    /// The columns of attributes, by entity number (index `number - 1`) and attribute slot; nil for a transient
    /// attribute.
    var attributes: [[String?]] = []
    /// The columns of to-one relationships, by entity number (index `number - 1`) and relationship slot; nil for a
    /// to-many or transient one.
    var toOnes: [[ToOne?]] = []
    /// The storage of to-many relationships, by entity number (index `number - 1`) and relationship slot; nil for a
    /// to-one or transient one.
    package var toManys: [[ToMany?]] = []
    /// The further properties of a layout on a server, or nil for a file.
    package var server: ServerLayout?
}
