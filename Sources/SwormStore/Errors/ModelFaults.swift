/// The issues of a model, or of two models together, collected while they are inspected.
package struct ModelFaults {
    private(set) var faults: [CoreDataError] = []
    private let code: Int
    private let failure: String
    private let counted: String

    /// Creates an empty collection of issues.
    ///
    /// - Parameters:
    ///   - code: The code of the error and of each issue.
    ///   - failure: The operation that is not possible because of the issues.
    ///   - counted: The noun for the issues after their number.
    package init(
        code: Int = NSCoreDataError, failure: String = "The model cannot be used", counted: String = "it has %d faults"
    ) {
        self.code = code
        self.failure = failure
        self.counted = counted
    }

    package var isEmpty: Bool { faults.isEmpty }

    package mutating func add(_ message: String, entity: String? = nil, key: String? = nil) {
        faults.append(CoreDataError(code, message, entity: entity, key: key))
    }

    /// The error that reports all issues.
    package var error: CoreDataError {
        if faults.count == 1, let only = faults.first {
            return CoreDataError(
                code, "\(failure): \(only.message)", entity: only.entity, key: only.key, details: faults)
        }
        let list = faults.map { "\n- " + $0.message }.joined()
        let count = counted.replacing("%d", with: "\(faults.count)")
        return CoreDataError(code, "\(failure); \(count):" + list, details: faults)
    }
}
