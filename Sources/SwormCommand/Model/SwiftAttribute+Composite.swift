import OpenCoreData

extension SwiftAttribute {
    /// Creates a struct for a composite attribute, which has a table of its own.
    ///
    /// - Parameters:
    ///   - name: The name of the property in Swift.
    ///   - place: The struct that contains the property.
    ///   - taken: Names that a nested type must not have.
    init(
        _ composite: NSCompositeAttributeDescription, as name: String, in place: Place = Place(),
        avoiding taken: Set<String>
    ) {
        let inner = place.inside(composite)
        let type = SwiftNames.type(composite: composite.name, avoiding: taken)
        var names = taken.union([type]).union(composite.elements.map(\.name))
        let properties = SwiftNames.elements(of: composite)
        let isOwner = composite.elements.contains { $0 is NSCompositeAttributeDescription }
        var declaration = [("struct \(type): CompositeConvertible\(isOwner ? ", CompositeOwner" : "") {", 0)]
        if let modifier = composite.versionHashModifier, !modifier.isEmpty {
            let text =
                "`\(composite.name)` has the hash modifier \"\(modifier)\", which composites in tables cannot have."
            declaration.insert(("// \(SwiftNames.oneLine(text))", 0), at: 0)
        }
        var lines: [String] = []
        for element in composite.elements {
            if let obstacle = Self.obstacle(element) {
                declaration.append(("// `\(element.name)` \(SwiftNames.oneLine(obstacle)).", 1))
                continue
            }
            let part: Self
            let property = properties[element.name] ?? SwiftNames.property(element.name)
            if let nested = element as? NSCompositeAttributeDescription {
                part = Self(nested, as: property, in: inner, avoiding: names)
                names.insert(SwiftNames.type(composite: nested.name, avoiding: names))
            } else {
                part = Self(element, as: property, in: inner, isUnique: false, isFlagged: false)
            }
            declaration += part.declaration.map { ($0.text, $0.depth + 1) }
            lines.append(part.line)
        }
        declaration += [("", 0), ("static let attributes: Set<Attribute<\(type)>> = [", 1)]
        declaration += lines.map { ($0 + ",", 2) }
        declaration += [("]", 1), ("}", 0)]
        var options: [String] = []
        if let former = composite.renamingIdentifier, former != composite.name {
            options.append(".renamed(from: \(SwiftNames.literal(former)))")
        }
        let property = Self(composite, as: name, declaredAs: type, hasDefault: !inner.defaults.isEmpty)
        self.init(
            declaration: declaration + property.declaration, property: property.property, type: property.type,
            line: Self.line(of: property.property, named: composite.name, options: options))
    }

    /// Creates a property for a composite attribute whose struct a super-entity declares.
    ///
    /// - Parameter name: The name of the property in Swift.
    init(_ composite: NSCompositeAttributeDescription, as name: String, declaredAs type: String) {
        self.init(
            composite, as: name, declaredAs: type,
            hasDefault: (composite.defaultValue as? [String: Any])?.isEmpty == false)
    }

    private init(
        _ composite: NSCompositeAttributeDescription, as name: String, declaredAs type: String, hasDefault: Bool
    ) {
        let text =
            composite.isOptional
            ? "var \(name): \(type)?" + (hasDefault ? " = \(type)()" : "") : "var \(name) = \(type)()"
        self.init(
            declaration: [(text, 0)], property: name, type: composite.isOptional ? type + "?" : type,
            line: Self.line(of: name, named: composite.name, options: []))
    }

    private init(declaration: [(text: String, depth: Int)], property: String, type: String, line: String) {
        self.declaration = declaration
        self.property = property
        self.type = type
        self.line = line
        paths = [:]
    }
}

extension NSCompositeAttributeDescription {
    /// Whether no composite element has a composite element.
    var isNestedOnce: Bool {
        let nested = elements.compactMap { $0 as? NSCompositeAttributeDescription }
        return !nested.contains { $0.elements.contains { $0 is NSCompositeAttributeDescription } }
    }
}
