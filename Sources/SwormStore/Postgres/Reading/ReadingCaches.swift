#if PostgreSQL
/// Properties of a store that its views share for reading.
final class ReadingCaches: Sendable {
    let shapes: ServerShapes
    let sizes = ResultSizes()
    let reportedKinds = ReportedKinds()
    /// A compiler of the statements of a file, which finds the errors of requests that have no exact statement on a server.
    let validator: SQLCompiler

    init(_ compiler: SQLCompiler) {
        shapes = ServerShapes(compiler)
        validator = SQLCompiler(
            model: compiler.model, layout: StoreLayout(model: compiler.model),
            storeIdentifier: compiler.storeIdentifier)
    }
}
#endif
