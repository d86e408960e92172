/// One step of how SQLite works a statement out.
package struct QueryPlanStep: Sendable, Hashable {
    /// How many steps it is a part of.
    package var depth: Int
    /// SQLite's words: `SEARCH t0 USING INDEX Z_Book_title (ZTITLE=?)`.
    package var detail: String

    package init(depth: Int, detail: String) {
        self.depth = depth
        self.detail = detail
    }

    /// The words, further in the deeper the step is.
    package var line: String { String(repeating: "  ", count: depth) + detail }
}
