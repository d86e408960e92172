/// The possible values of an expression in a condition, whatever the objects are. Nil is always possible.
struct PossibleValues {
    /// The entities of the objects that the value can be, or can contain.
    var entities: Set<String> = []
    /// Whether the value can be the id of an object, which has no attributes.
    var hasIDs = false
    var hasTexts = false
    /// Whether the value can be a number, bytes or another plain value that is not a string.
    var hasOthers = false

    /// Whether the value can be a collection.
    var isCollection = false
    /// Whether the value can be a single value.
    var isSingle = true
    /// The number of collections that are traversed, one for each member of another.
    var loops = 0
    /// Whether one value is computed from the members. The keys that follow an `@max` still belong to it.
    var isTotal = false
    /// The deepest nesting of loops that the evaluation requires.
    var nesting = 0
    /// The size of the condition's own strings that the value can be composed of, in bytes.
    var sentBytes = 0

    static let text = PossibleValues(hasTexts: true)
    static let other = PossibleValues(hasOthers: true)
    static let id = PossibleValues(hasIDs: true)

    static func objects(_ entity: String) -> PossibleValues { PossibleValues(entities: [entity]) }

    var hasObjects: Bool { hasIDs || !entities.isEmpty }
    var hasPlainValues: Bool { hasTexts || hasOthers }

    /// The number of nested loops that are needed to visit the members one by one.
    var openLoops: Int { isTotal ? 0 : loops }

    /// Returns the possible values of either of two expressions.
    func union(_ other: PossibleValues) -> PossibleValues {
        PossibleValues(
            entities: entities.union(other.entities), hasIDs: hasIDs || other.hasIDs,
            hasTexts: hasTexts || other.hasTexts, hasOthers: hasOthers || other.hasOthers,
            isCollection: isCollection || other.isCollection, isSingle: isSingle || other.isSingle,
            loops: max(openLoops, other.openLoops),
            nesting: max(nesting, other.nesting), sentBytes: sentBytes + other.sentBytes)
    }

    /// The values as the members of a collection.
    var collected: PossibleValues {
        var result = self
        (result.isCollection, result.isSingle) = (true, false)
        return result
    }

    /// Returns the possible values of a single value that is computed from operands.
    func computed(from operands: [PossibleValues]) -> PossibleValues {
        var result = self
        result.nesting = operands.reduce(nesting) { max($0, $1.nesting) }
        result.sentBytes = operands.reduce(sentBytes) { $0 + $1.sentBytes }
        return result
    }
}
