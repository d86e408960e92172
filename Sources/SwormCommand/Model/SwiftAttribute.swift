import Foundation
import OpenCoreData
import SwormPredicates
import SwormStore

/// An attribute as a property of a struct and a line of its table; or why it cannot be one.
struct SwiftAttribute {
    /// Where the property lies: in the struct of an entity, or in one of a composite attribute.
    struct Place {
        /// The way to it as a key path, and by names of the model, each with a full stop at the end.
        var path = ""
        var name = ""
        /// Whether a composite around it may be missing, and everything in it with it.
        var isOptional = false
        /// What the composites around it have for their elements when an object is made.
        var defaults: [String: Any] = [:]

        var isElement: Bool { !name.isEmpty }

        /// The place inside a composite that lies here.
        func inside(_ composite: NSCompositeAttributeDescription) -> Place {
            let own = composite.defaultValue as? [String: Any] ?? [:]
            // What is around it counts more than what it says itself.
            let outer = defaults[composite.name] as? [String: Any] ?? [:]
            return Place(
                path: path + SwiftNames.property(composite.name) + ".", name: name + composite.name + ".",
                isOptional: isOptional || composite.isOptional, defaults: own.merging(outer) { $1 })
        }
    }

    /// The property, with what cannot be said of it in comments.
    var declaration: [(text: String, depth: Int)]
    /// The lines of the table: one, or one for each element of a composite attribute.
    var lines: [String]
    /// The key paths by the names of the model.
    var paths: [String: String]

    /// Why an attribute has no place in a table; nil where it has one.
    static func obstacle(_ attribute: NSAttributeDescription) -> String? {
        switch attribute.attributeType.attributeType {
        case .composite where !attribute.isTransient:
            let elements = (attribute as? NSCompositeAttributeDescription)?.elements ?? []
            return elements.contains { obstacle($0) == nil } ? nil : "is composite, and has no elements"
        case .undefined, .objectID: return "has no type that a store keeps"
        default: return attribute.isTransient ? "is transient: it is not in the store" : nil
        }
    }

    /// - Parameters:
    ///   - place: What the property is part of.
    ///   - isUnique: Whether the entity wants its values unique, alone.
    ///   - isFlagged: Whether an index has the attribute to itself, so that its flag says nothing more.
    init(_ attribute: NSAttributeDescription, in place: Place = Place(), isUnique: Bool, isFlagged: Bool) {
        let type = attribute.attributeType.attributeType
        let name = SwiftNames.property(attribute.name)
        let isDerived = attribute is NSDerivedAttributeDescription
        // A derived value is there only once the store has worked it out, and an element only with its composite.
        let isOptional = attribute.isOptional || isDerived || place.isOptional
        var unsaid: [String] = []
        let declaration: String
        let swiftType = Self.type(type)
        let defaultValue = place.defaults[attribute.name] ?? attribute.defaultValue
        let value = AttributeValue(any: defaultValue).flatMap { Self.literal($0, type) }
        if isOptional {
            declaration = "var \(name): \(swiftType)?" + (value.map { " = \($0)" } ?? "")
        } else {
            let start = value ?? Self.start(type)
            // The compiler finds these types by itself.
            let isPlain =
                ["Int", "String", "Bool", "Double"].contains(swiftType)
                || (start.hasPrefix("\(swiftType)(") && !start.contains(" ?? "))
            declaration = isPlain ? "var \(name) = \(start)" : "var \(name): \(swiftType) = \(start)"
        }
        if defaultValue != nil, value == nil { unsaid.append("its default cannot be written here") }
        if isDerived {
            unsaid.append("derived by the store: \((attribute as? NSDerivedAttributeDescription)?.derivation ?? "")")
        }
        if type == .transformable {
            unsaid.append("the bytes of \(attribute.valueTransformerName ?? "its transformer")")
        }
        var options = isUnique ? [".unique"] : []
        if attribute.isIndexed, !isFlagged { options.append(".indexed") }
        if attribute.allowsExternalBinaryDataStorage { options.append(".external") }
        if attribute.preservesValueInHistoryOnDeletion { options.append(".preservedOnDeletion") }
        if let former = attribute.renamingIdentifier, former != attribute.name {
            options.append(".renamed(from: \(SwiftNames.literal(former)))")
        }
        if let modifier = attribute.versionHashModifier, !modifier.isEmpty {
            options.append(".hashModifier(\(SwiftNames.literal(modifier)))")
        }
        let (rules, others) = Self.rules(attribute.validationRules, type)
        options += rules
        unsaid += others
        // A model with composites is never made from tables, so nothing more need be said of their elements.
        if place.isElement { options = [] }
        let (path, full) = (place.path + name, place.name + attribute.name)
        self.declaration = unsaid.map { ("// \(SwiftNames.oneLine($0))", 0) } + [(declaration, 0)]
        lines = [".init(" + (["\\.\(path)", SwiftNames.literal(full)] + options).joined(separator: ", ") + ")"]
        paths = [full: path]
    }

    private static func type(_ type: SwormPredicates.AttributeType) -> String {
        switch type {
        case .integer16: "Int16"
        case .integer32: "Int32"
        case .integer64: "Int"
        case .decimal: "Decimal"
        case .double: "Double"
        case .float: "Float"
        case .string: "String"
        case .boolean: "Bool"
        case .date: "Date"
        case .uuid: "UUID"
        case .uri: "URL"
        case .binaryData, .transformable, .undefined, .objectID, .composite: "Data"
        }
    }

    /// What a fresh value has where the model says nothing.
    private static func start(_ type: SwormPredicates.AttributeType) -> String {
        switch type {
        case .integer16, .integer32, .integer64, .decimal, .float: "0"
        case .double: "0.0"
        case .string: "\"\""
        case .boolean: "false"
        // Two fresh values differ, so no default is taken from them.
        case .date: "Date()"
        case .uuid: "UUID()"
        case .uri: "URL(filePath: \"/\")"
        case .binaryData, .transformable, .undefined, .objectID, .composite: "Data()"
        }
    }

    private static func literal(_ value: AttributeValue, _ type: SwormPredicates.AttributeType) -> String? {
        switch (value, type) {
        case (.int(let number), .boolean): number == 0 ? "false" : "true"
        case (.int(let number), .double): "\(number).0"
        case (.int(let number), _): "\(number)"
        case (.bool(let flag), .boolean): flag ? "true" : "false"
        case (.double(let number), .float): "\(Float(number))"
        case (.double(let number), _): "\(number)"
        case (.decimal(let number), _):
            Int64(number.description).map { "\($0)" } ?? "Decimal(string: \"\(number)\") ?? 0"
        case (.string(let text), .string): SwiftNames.literal(text)
        case (.date(let date), .date): "Date(timeIntervalSinceReferenceDate: \(date.timeIntervalSinceReferenceDate))"
        case (.uuid(let uuid), .uuid): "UUID(uuidString: \"\(uuid.uuidString)\") ?? UUID()"
        case (.url(let url), .uri): "URL(string: \(SwiftNames.literal(url.absoluteString))) ?? URL(filePath: \"/\")"
        default: nil
        }
    }

    private static func rules(
        _ rules: [ValidationRule], _ type: SwormPredicates.AttributeType
    ) -> (said: [String], unsaid: [String]) {
        var (said, unsaid): ([String], [String]) = ([], [])
        var bounds: (low: String?, high: String?) = (nil, nil)
        var lengths: (low: String?, high: String?) = (nil, nil)
        func bound(_ value: AttributeValue) -> String? {
            guard case .int(let number) = value else { return literal(value, type) }
            // A limit outside the type's own range is no literal of it.
            let range: ClosedRange<Int64> =
                type == .integer16
                ? -32768...32767 : type == .integer32 ? -2_147_483_648...2_147_483_647 : .min ... .max
            return range.contains(number) ? literal(value, type) : nil
        }
        for rule in rules {
            switch rule {
            case .minimum(let value):
                if let text = bound(value) { bounds.low = text } else { unsaid.append("at least \(value)") }
            case .maximum(let value):
                if let text = bound(value) { bounds.high = text } else { unsaid.append("at most \(value)") }
            case .minimumLength(let count): lengths.low = "\(count)"
            case .maximumLength(let count): lengths.high = "\(count)"
            case .pattern(let pattern): said.append(".pattern(\(SwiftNames.literal(pattern)))")
            case .predicate(_, let text): unsaid.append("validated by \(text)")
            }
        }
        let name = Self.type(type)
        func range(_ pair: (low: String?, high: String?), _ convert: (String) -> String) -> String? {
            switch pair {
            case (let low?, let high?): "\(convert(low))...\(convert(high))"
            case (let low?, nil): "\(convert(low))..."
            case (nil, let high?): "...\(convert(high))"
            case (nil, nil): nil
            }
        }
        let isTyped = ["Date", "Decimal", "Int16", "Int32", "Float"].contains(name)
        func typed(_ literal: String) -> String {
            if literal.contains(" ?? ") { return "(\(literal))" }
            return isTyped && name != "Date" ? "\(name)(\(literal))" : literal
        }
        if let text = range(bounds, typed) { said.insert(".range(\(text))", at: 0) }
        if let text = range(lengths, { $0 }) { said.insert(".length(\(text))", at: 0) }
        return (said, unsaid)
    }
}
