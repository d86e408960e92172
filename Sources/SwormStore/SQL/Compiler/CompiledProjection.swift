/// A projection compiled to a statement.
struct CompiledProjection: Sendable {
    var statement: CompiledStatement
    var columns: [ProjectedColumn]
}
