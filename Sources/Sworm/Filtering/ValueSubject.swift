import SwormPredicates

/// A plain value that a predicate is asked about: its attributes, under their names in the model.
struct ValueSubject<T: ManagedObjectConvertible>: EvaluationSubject {
    private let value: T
    private let plan: EntityPlan<T>

    init(_ value: T, _ plan: EntityPlan<T>) {
        self.value = value
        self.plan = plan
    }

    /// A plain value is no object of a store.
    var reference: ObjectReference? { nil }

    func predicateValue(forKey key: String) throws -> EvaluationValue {
        if let index = plan.index(named: key) { return .value(try plan.read(index, of: value).asStored) }
        throw PredicateError.notInPlainValue(key, plan)
    }
}
