/// Where a model's properties are kept in a store: the names of tables and columns.
///
/// The layout that a model implies is made by `init(model:)`. A file that was migrated may use other names; a store that
/// opens such a file makes its layout from both.
package struct StoreLayout: Sendable {
    /// A table by the number of its root entity.
    package struct Table: Sendable {
        package var name: String
        /// The columns in the order in which a new table declares them, `Z_PK`, `Z_ENT`, `Z_OPT` included.
        package var columns: [Column]
    }

    package struct Column: Sendable, Hashable {
        package var name: String
        /// The declared type: `INTEGER`, `VARCHAR`, ...
        package var declaredType: String
    }

    /// The columns of a to-one relationship.
    package struct ToOne: Sendable, Hashable {
        package var column: String
        /// The column with the destination's entity number; only where the destination has sub-entities.
        package var entityColumn: String?
    }

    /// How a to-many relationship is kept.
    package enum ToMany: Sendable, Hashable {
        /// By the to-one column of the inverse, in the destination's table.
        case inverse(column: String, orderColumn: String?)
        /// By a column of the destination's table that holds the owner's key: a relationship without inverse.
        case oneWay(column: String, orderColumn: String?)
        /// By a join table, seen from this side.
        case join(Join)
    }

    /// A join table seen from one of its two sides.
    package struct Join: Sendable, Hashable {
        package var table: String
        /// Holds the keys of the objects on this side.
        package var ownColumn: String
        /// Holds the keys of the objects on the other side.
        package var otherColumn: String
        /// Orders the other side's objects for one object of this side.
        package var orderColumn: String?
        /// Orders this side's objects for one object of the other side.
        package var inverseOrderColumn: String?
        /// Whether this side is the one after which the table is named.
        package var isOwner: Bool
    }

    /// By root entity number.
    package var tables: [Int: Table] = [:]
    /// By entity number (index `number - 1`), then attribute slot; nil for a transient attribute.
    package var attributes: [[String?]] = []
    /// By entity number (index `number - 1`), then relationship slot; nil for a to-many or transient one.
    package var toOnes: [[ToOne?]] = []
    /// By entity number (index `number - 1`), then relationship slot; nil for a to-one or transient one.
    package var toManys: [[ToMany?]] = []
}
