/// All that an expression of a condition can come to, whichever way the objects are. Nil is always possible.
struct PossibleValues {
    /// The entities of the objects that it can be, or that can be in it.
    var entities: Set<String> = []
    /// Whether it can be the id of an object, which has no attributes.
    var hasIDs = false
    var hasTexts = false
    /// Whether it can be a number, bytes or another value that is no text.
    var hasOthers = false

    /// Whether it can be a collection.
    var isCollection = false
    /// Whether it can be a single value.
    var isSingle = true
    /// How many collections were gone through, one for each member of another.
    var loops = 0
    /// Whether one value is made of the members. The keys behind an `@max` still belong to it.
    var isTotal = false
    /// The deepest nesting of loops that it takes to work it out.
    var nesting = 0
    /// The bytes of the condition's own strings that it can be made of.
    var sentBytes = 0

    static let text = PossibleValues(hasTexts: true)
    static let other = PossibleValues(hasOthers: true)
    static let id = PossibleValues(hasIDs: true)

    static func objects(_ entity: String) -> PossibleValues { PossibleValues(entities: [entity]) }

    var hasObjects: Bool { hasIDs || !entities.isEmpty }
    var hasPlainValues: Bool { hasTexts || hasOthers }

    /// How many loops whoever takes the members one by one goes through.
    var openLoops: Int { isTotal ? 0 : loops }

    /// What either of two expressions can come to.
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

    /// What is worked out from some values and is itself a single one.
    func computed(from operands: [PossibleValues]) -> PossibleValues {
        var result = self
        result.nesting = operands.reduce(nesting) { max($0, $1.nesting) }
        result.sentBytes = operands.reduce(sentBytes) { $0 + $1.sentBytes }
        return result
    }
}
