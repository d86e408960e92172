/// The issues of a model, or of two models together, collected while they are inspected.
package struct IssueList {
    private(set) var issues: [CoreDataError] = []
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
        code: Int = NSCoreDataError, failure: String = "The model cannot be used", counted: String = "it has %d issues"
    ) {
        self.code = code
        self.failure = failure
        self.counted = counted
    }

    package var isEmpty: Bool { issues.isEmpty }

    package mutating func add(_ message: String, entity: String? = nil, key: String? = nil) {
        issues.append(CoreDataError(code, message, entity: entity, key: key))
    }

    /// The error that reports all issues.
    package var error: CoreDataError {
        if issues.count == 1, let only = issues.first {
            return CoreDataError(
                code, "\(failure): \(only.message)", entity: only.entity, key: only.key, details: issues)
        }
        let list = issues.map { "\n- " + $0.message }.joined()
        let count = counted.replacing("%d", with: "\(issues.count)")
        return CoreDataError(code, "\(failure); \(count):" + list, details: issues)
    }
}
