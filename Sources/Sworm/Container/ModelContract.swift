/// The agreement between the tables of types and a model: says in which points they differ.
///
/// A container with a model of its own checks it when it is made. Check it in a test too, so that a change of one side is
/// found before the app starts:
///
/// ```swift
/// @Test func tablesFitTheModel() throws { try ModelContract(Book.self, Author.self).check(model) }
/// ```
/// The types that the relations of the given ones lead to are found. Options of tables are for models made from tables, so
/// they are not compared; only ``AttributeOption/optional`` counts: it says that the type knows about the model's nil.
public struct ModelContract: Sendable {
    /// What the types are to be used for.
    public enum Use: Sendable, Hashable {
        /// To decode what is in a store.
        case reading
        /// To insert and change objects too: nothing that a save needs may be missing.
        case writing
    }

    let types: [any ManagedObjectConvertible.Type]

    /// Makes the contract of types.
    ///
    /// - Parameter types: Types with tables.
    public init(_ types: any ManagedObjectConvertible.Type...) { self.types = types }

    /// Makes the contract of types.
    ///
    /// - Parameter types: Types with tables.
    public init(_ types: [any ManagedObjectConvertible.Type]) { self.types = types }

    /// Every point in which the tables do not fit a model, in the order of the types and of their tables.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - use: What the types are to be used for.
    public func faults(in model: NSManagedObjectModel, for use: Use = .writing) -> [ContractFault] {
        var comparison = ContractComparison(types, model, use)
        return comparison.faults()
    }

    /// Checks that the tables fit a model.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - use: What the types are to be used for.
    /// - Throws: One ``StoreError`` with the code `contractViolation`. Its message has one line for every fault.
    public func check(_ model: NSManagedObjectModel, for use: Use = .writing) throws {
        let faults = faults(in: model, for: use)
        guard let first = faults.first else { return }
        let message =
            faults.count == 1
            ? "The tables do not fit the model: \(first)"
            : "The tables do not fit the model in \(faults.count) points:" + faults.map { "\n- \($0)" }.joined()
        throw StoreError(
            .contractViolation, message, entity: first.entity, attribute: faults.count == 1 ? first.member : nil)
    }
}
