#if PostgreSQL
import SwormPredicates

// The default values of present columns.
extension ServerMigrationPlanner {
    /// Changes the default values of a table's columns, once all columns are known that a trigger fills.
    ///
    /// A column has no default value while a trigger keeps it equal to other columns: a program with a version that does not know the
    /// column would insert the default value, and the trigger would take it for a value of a program that does.
    ///
    /// - Parameter planned: The columns of the new version by name.
    func changeDefaults(
        _ planned: [String: PlannedColumn], change: inout TableChange, plan: inout ServerMigrationPlan
    ) {
        let filled = form == .additive ? Set(change.sync.groups.flatMap(\.columns)) : []
        let newlyFilled = filled.subtracting(change.filledBefore)
        var lasting: Set<String> = []
        for column in change.table.columns {
            guard let present = presentColumn(column.name, planned: planned[column.name], in: change.before) else {
                continue
            }
            lasting.insert(present.name)
            guard filled.contains(column.name) else {
                if present.defaultValue != column.defaultValue {
                    let action = column.defaultValue.map { "SET DEFAULT \($0)" } ?? "DROP DEFAULT"
                    change.alter(column.name, action: action)
                }
                continue
            }
            if present.defaultValue != nil, newlyFilled.contains(column.name) {
                change.alter(column.name, action: "DROP DEFAULT")
            }
            plan.leftovers.defaults.removeAll { $0.table == change.table.name && $0.column == column.name }
            guard let value = column.defaultValue else { continue }
            plan.leftovers.defaults.append(.init(table: change.table.name, column: column.name, value: value))
        }
        for column in change.before.columns
        where column.defaultValue != nil && newlyFilled.contains(column.name) && !lasting.contains(column.name) {
            change.alter(column.name, action: "DROP DEFAULT")
        }
    }
}
#endif
