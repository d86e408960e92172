/// A projection compiled to a statement.
package struct CompiledProjection: Sendable {
    package var statement: CompiledStatement
    package var columns: [ProjectedColumn]
}
