import Foundation
import SwormPredicates
import SwormStore

/// The value that a mapping gives to a property of a new object.
enum MappedValue {
    /// The value of a key path of the old object.
    case source(String)
    /// A value that is computed from the old object, which is the evaluated object of the expression.
    case computed(PreparedExpression)
    case constant(Any?)
    /// The new objects of the destinations of a key path of the old object.
    case relationship(String)
    /// The objects that an entity mapping has created from the destinations of a key path of the old object.
    case entityMapping(String, keyPath: String)
    /// The result of a block. Its arguments may be the old object and the manager.
    case block(ExpressionContent)

    /// - Throws: An error for an expression that a mapping does not support.
    init(_ expression: NSExpression) throws {
        switch expression.content.form {
        case .constant(let value):
            self = .constant(value)
            return
        case .block:
            self = .block(expression.content)
            return
        case .tree: break
        }
        let tree = try expression.tree()
        if let path = tree.sourcePath {
            self = .source(path)
        } else if case .function(let name, let arguments) = tree, let message = MigrationMessage(rawValue: name) {
            guard arguments.count == 3, arguments[0] == .variable("manager"), let path = arguments[2].sourcePath,
                case .value(.string(let subject)) = arguments[1]
            else { throw Self.unsupported(expression) }
            switch message {
            case .successorsOfRelationship: self = .relationship(path)
            case .successorsByMapping: self = .entityMapping(subject, keyPath: path)
            case .request: throw Self.unsupported(expression)
            }
        } else {
            guard tree.freeVariables.isSubset(of: ["source"]) else { throw Self.unsupported(expression) }
            self = .computed(try PreparedExpression(tree.withSourceAsObject))
        }
    }

    private static func unsupported(_ expression: NSExpression) -> CoreDataError {
        CoreDataError(
            NSMigrationError,
            "The expression `\(expression)` is not supported in a mapping. It can use key paths of $source, functions of them, the methods of $manager that return destination instances, and blocks."
        )
    }

    /// Returns the value for an old object.
    func value(for source: NSManagedObject, manager: NSMigrationManager) throws -> Any? {
        switch self {
        case .source(let keyPath): return source.value(at: keyPath)
        case .computed(let expression): return try expression.evaluate(source).cocoaValue
        case .constant(let value): return value
        case .block(let content):
            let variables = NSMutableDictionary()
            variables.setObject(source, forKey: NSString(string: "source"))
            variables.setObject(manager, forKey: NSString(string: "manager"))
            return try content.value(with: source, variables: variables)
        case .relationship(let path):
            return manager.destinationInstances(of: Self.members(source.value(forKeyPath: path)))
        case .entityMapping(let mapping, let keyPath):
            return manager.destinationInstances(
                forEntityMappingName: mapping, sourceInstances: Self.members(source.value(forKeyPath: keyPath)))
        }
    }

    private static func members(_ value: Any?) -> [NSManagedObject] {
        switch value {
        case let object as NSManagedObject: [object]
        case let set as Set<NSManagedObject>: set.sorted { $0.objectID.key < $1.objectID.key }
        case let ordered as NSOrderedSet: ordered.array.compactMap { $0 as? NSManagedObject }
        default: []
        }
    }
}

extension ExpressionTree {
    /// The key path that starts at the old object; nil for any other expression.
    fileprivate var sourcePath: String? {
        var keys: [String] = []
        var current = self
        while case .key(let base, let key) = current {
            keys.append(key)
            current = base
        }
        guard case .variable("source") = current, !keys.isEmpty, !keys.contains(where: { $0.hasPrefix("@") }) else {
            return nil
        }
        return keys.reversed().joined(separator: ".")
    }

    /// The expression with the evaluated object instead of the variable of the old object.
    fileprivate var withSourceAsObject: ExpressionTree {
        get throws { try substituting(["source": .expression(.evaluatedObject)]) }
    }
}

extension NSManagedObject {
    /// Returns the value at a key path. The path of an element of a composite attribute is treated as a key.
    fileprivate final func value(at keyPath: String) -> Any? {
        compiledEntity.slot(named: keyPath) != nil ? value(forKey: keyPath) : value(forKeyPath: keyPath)
    }
}
