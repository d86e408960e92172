import SwormSQLite

/// The statement for one shape of requests, with the sources of its parameters.
final class KnownShape {
    /// The source of a parameter's value.
    enum Source {
        /// A constant of the request, by its index.
        case constant(Int)
        /// A value that an update assigns, by its index.
        case assigned(Int)
        case limit
        case offset
        case fixed(SQLBinding)
    }

    /// A request of the shape. It contains the constants of the probe, so that no large value is retained.
    let request: FetchSpecification
    let selection: StatementShapes.Selection
    let slot: StatementSlot
    let sources: [Source]

    init(
        _ request: FetchSpecification, selection: StatementShapes.Selection, slot: StatementSlot, sources: [Source]
    ) {
        self.request = request
        self.selection = selection
        self.slot = slot
        self.sources = sources
    }
}
