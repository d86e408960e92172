/// A step of SQLite's query plan.
package struct QueryPlanStep: Sendable, Hashable {
    /// The number of steps that contain this one.
    package var depth: Int
    /// SQLite's description: `SEARCH t0 USING INDEX Z_Book_title (ZTITLE=?)`.
    package var detail: String

    package init(depth: Int, detail: String) {
        self.depth = depth
        self.detail = detail
    }

    /// The description, indented by the depth of the step.
    package var line: String { String(repeating: "  ", count: depth) + detail }
}
