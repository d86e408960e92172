import OpenCoreData

extension SwiftAttribute {
    /// Creates a struct for a composite attribute, with a property and a line of the table for each element.
    ///
    /// - Parameters:
    ///   - place: The struct that contains the property.
    ///   - taken: Names that a nested type must not have.
    init(_ composite: NSCompositeAttributeDescription, in place: Place = Place(), avoiding taken: Set<String>) {
        let property = SwiftNames.property(composite.name)
        let inner = place.inside(composite)
        let type = SwiftNames.type(composite: composite.name, avoiding: taken)
        var names = taken.union([type]).union(composite.elements.map(\.name))
        (declaration, lines, paths) = ([("struct \(type) {", 0)], [], [:])
        for element in composite.elements {
            if let obstacle = Self.obstacle(element) {
                declaration.append(("// `\(element.name)` \(SwiftNames.oneLine(obstacle)).", 1))
                continue
            }
            let part: SwiftAttribute
            if let nested = element as? NSCompositeAttributeDescription {
                part = Self(nested, in: inner, avoiding: names)
                names.insert(SwiftNames.type(composite: nested.name, avoiding: names))
            } else {
                part = Self(element, in: inner, isUnique: false, isFlagged: false)
            }
            declaration += part.declaration.map { ($0.text, $0.depth + 1) }
            lines += part.lines
            paths.merge(part.paths) { first, _ in first }
        }
        declaration += [("}", 0), ("var \(property) = \(type)()", 0)]
    }
}
