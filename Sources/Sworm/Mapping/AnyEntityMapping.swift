import SwormPredicates

/// A mapping whose type is not statically known.
protocol AnyEntityMapping: AnyObject, Sendable {
    /// The mapping of the type of the entity; nil if it is this mapping.
    var entity: (any AnyEntityMapping)? { get }
    /// The mapping of the super-entity, if the type is a case of an enum of structs.
    var superentity: (any AnyEntityMapping)? { get }
    /// The types of the cases, if the type is an enum of structs.
    var subentities: [any ManagedObjectConvertible.Type] { get }
    /// Whether the type is an enum of structs.
    var isSuperentity: Bool { get }
    /// The names of the attributes with options in the table.
    var namesWithOptions: [String] { get }
    var entityName: String { get }
    var formerEntityName: String? { get }
    var typeName: String { get }
    /// The name of the type alone.
    var name: String { get }
    var attributes: [AttributeMapping] { get }
    /// The names of the attributes that a tree may leave out.
    var partialNames: [String] { get }
    var composites: [CompositeMapping] { get }
    var relations: [RelationMapping] { get }
    var uniquenessConstraints: [[String]] { get }
    var indexes: [IndexMapping] { get }
    var issues: [TableIssue] { get }
}

func unknownKeyPath(_ keyPath: AnyKeyPath, entity: String, attributes: [AttributeMapping]) -> StoreError {
    let path = keyPathName(keyPath)
    let names = attributes.map(\.name)
    let hint =
        if let nearest = path.components.last.flatMap({ nearestName(to: $0, in: names) }) {
            "The nearest attribute is '\(nearest)'."
        } else if names.isEmpty {
            "The table is empty."
        } else {
            "The attributes are \(names.prefix(12).map { "'\($0)'" }.joined(separator: ", "))."
        }
    let message =
        "\(entity): \(path.text) is not in the table of attributes. Add it to `attributes`, or use an attribute of the table. \(hint)"
    return StoreError(
        .unknownKeyPath, message, entity: entity, attribute: path.components.joined(separator: "."))
}

/// Returns a key path as it is written in source, as far as the runtime knows its names.
func keyPathName(_ keyPath: AnyKeyPath) -> (text: String, components: [String]) {
    let text = String(reflecting: keyPath)
    guard text.hasPrefix("\\") else { return (text, []) }
    let parts = text.dropFirst().split(separator: ".", omittingEmptySubsequences: true).map(String.init)
    // Anonymous components are printed with angle brackets. The root may be the full name of a nested type.
    let names = parts.drop { !($0.first?.isLowercase ?? false) }.filter { !$0.contains("<") && !$0.contains("(") }
    return (text, Array(names))
}
