/// A contract between the tables of types and a model, which reports where the two differ.
///
/// A container that is opened with an existing model checks the contract when it is created. Check it in a test too, so
/// that a change on either side is found before the app starts:
///
/// ```swift
/// @Test func tablesFitTheModel() throws { try ModelContract(Book.self, Author.self).check(model) }
/// ```
/// Types that the relations of the given types refer to are included, and the trees inside of trees. Table options only
/// affect models that are created from tables, so they are not compared. The exception is ``AttributeOption/optional``: it
/// states that the type handles the model's nil.
public struct ModelContract: Sendable {
    /// The intended use of the types.
    public enum Use: Sendable, Hashable {
        /// Decoding the objects of a store.
        case reading
        /// Inserting and changing objects as well: nothing that a save requires may be missing.
        case writing
    }

    let types: [any ManagedTreeConvertible.Type]

    /// Creates a contract for types.
    ///
    /// - Parameter types: Types with tables, and trees.
    public init(_ types: any ManagedTreeConvertible.Type...) { self.types = types }

    /// Creates a contract for types.
    ///
    /// - Parameter types: Types with tables, and trees.
    public init(_ types: [any ManagedTreeConvertible.Type]) { self.types = types }

    /// Returns every difference between the tables and a model, in the order of the types and of their tables.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - use: The intended use of the types.
    public func violations(in model: NSManagedObjectModel, for use: Use = .writing) -> [Violation] {
        var comparison = ContractComparison(of: types, with: model, for: use)
        return comparison.violations()
    }

    /// Checks that the tables fit a model.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - use: The intended use of the types.
    /// - Throws: A single ``StoreError`` with the code `contractViolation`. Its message has one line per difference.
    public func check(_ model: NSManagedObjectModel, for use: Use = .writing) throws {
        let violations = violations(in: model, for: use)
        guard let first = violations.first else { return }
        let message =
            violations.count == 1
            ? "The tables do not match the model: \(first)"
            : "The tables do not match the model in \(violations.count) points:"
                + violations.map { "\n- \($0)" }.joined()
        throw StoreError(
            .contractViolation, message, entity: first.entity, attribute: violations.count == 1 ? first.member : nil)
    }

    /// Returns every difference between the tables and a model.
    @available(*, deprecated, renamed: "violations(in:for:)")
    public func faults(in model: NSManagedObjectModel, for use: Use = .writing) -> [Violation] {
        violations(in: model, for: use)
    }
}
