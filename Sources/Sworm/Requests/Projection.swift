import SwormPredicates

/// A request for values instead of objects: selected columns of the rows that a request finds.
///
/// ```swift
/// Book.all.sort(\.title).select(\.title, \.author.name, \.reviews.count)
/// ```
/// A projection is a value. ``ManagedObjectContext/fetch(_:)->[Row]`` returns its rows.
public struct Projection<PlainObject: ManagedObjectConvertible, Row>: Sendable {
    let request: Request<PlainObject>
    var tree: ProjectionTree
    let reader: any RowReading<Row>
    let failure: StoreError?

    init(
        _ request: Request<PlainObject>, selection: Selection, grouping: ProjectionTree?,
        reader: any RowReading<Row>
    ) {
        self.request = request
        self.reader = reader
        var tree = grouping ?? ProjectionTree([])
        tree.columns = selection.expressions
        self.tree = tree
        failure = selection.failure
    }

    /// Returns each combination of values once.
    ///
    /// The rows are sorted by the order of the request, which must consist of selected columns, and then by all
    /// columns. A limit and an offset of the request apply to combinations.
    public func distinct() -> Projection {
        var copy = self
        copy.tree.isDistinct = true
        return copy
    }

    /// Returns a projection whose rows a closure creates from the rows of this one, for your own row types.
    ///
    /// ```swift
    /// Book.all.grouped(by: \.author.name).select { ($0.key, $0.count) }.map { name, count in Line(name, count) }
    /// ```
    public func map<New>(_ make: @escaping @Sendable (Row) throws -> New) -> Projection<PlainObject, New> {
        func mapped<Inner: RowReading<Row>>(_ inner: Inner) -> any RowReading<New> {
            MappedReader(inner: inner, make: make)
        }
        return Projection<PlainObject, New>(request, tree: tree, reader: mapped(reader), failure: failure)
    }

    private init(
        _ request: Request<PlainObject>, tree: ProjectionTree, reader: any RowReading<Row>, failure: StoreError?
    ) {
        self.request = request
        self.tree = tree
        self.reader = reader
        self.failure = failure
    }

    /// Throws an error if the projection is invalid.
    ///
    /// - Throws: The ``StoreError`` that would be thrown before the projection runs.
    public func validate() throws {
        _ = try checked()
    }

    /// Returns the content of the request and the tree. The sort order is moved to the tree if it applies to groups or
    /// distinct rows.
    func checked() throws -> (request: RequestContent, tree: ProjectionTree) {
        if let failure { throw failure }
        var content = request.content
        try content.validate()
        var tree = tree
        // If only a part of the rows is grouped, the sort order determines which ones, and remains in the request.
        let groupsPart = tree.form == .grouped && (content.limit != nil || content.offset > 0)
        if tree.form == .grouped && !groupsPart || tree.form == .distinct {
            tree.sorts = content.sorts.map { ProjectionTree.Sort(.path($0.path), ascending: $0.ascending) } + tree.sorts
            content.sorts = []
        }
        do {
            try tree.validate()
        } catch {
            throw StoreError(
                .invalidRequest, "\(PlainObject.entityName): \(error.message).", entity: PlainObject.entityName)
        }
        return (content, tree)
    }
}

/// The columns of a projection while they are being collected.
struct Selection {
    private(set) var expressions: [ExpressionTree] = []
    private(set) var failure: StoreError?

    init(failure: StoreError? = nil) { self.failure = failure }

    mutating func add<Root, Base, Value>(_ term: Term<Root, Base, Value>) -> TermColumn<Base, Value> {
        let expression = term.operand.selectable(&failure, of: Root.entityName)
        expressions.append(expression)
        return TermColumn(expression, of: Root.self)
    }
}

extension Operand {
    /// Returns the expression of an operand that has one value for each row.
    func selectable(_ failure: inout StoreError?, of entity: @autoclosure () -> String) -> ExpressionTree {
        failure = failure ?? self.failure
        if !scopes.isEmpty {
            let entity = entity()
            failure =
                failure
                ?? StoreError(
                    .invalidRequest,
                    "\(entity): `any`, `all` and `none` are for conditions and have no value to select. Use `count`, `min`, `max`, `sum` or `average`.",
                    entity: entity)
        }
        return expression
    }
}
