import Foundation
import SwormPredicates
import SwormStore

/// The classes that a coordinator's model names, as far as callers have asked for them.
final class ModelClasses: Sendable {
    private struct Content: Sendable {
        /// The classes that callers have asked for, by their names in the model.
        var asked: [String: NSManagedObject.Type] = [:]
        /// The modules of these classes.
        var modules: [String] = []
        /// The names that were reported as missing.
        var missing: Set<String> = []
    }

    private let content = Locked(Content())

    /// Remembers a class that a caller asks for, and its module.
    ///
    /// - Parameter name: The name of the class in the model; nil if it is another one.
    func note(_ type: NSManagedObject.Type, as name: String?) {
        let module = String(reflecting: type).split(separator: ".").first.map(String.init)
        content.withLock { content in
            if let name { content.asked[name] = type }
            if let module, !content.modules.contains(module) { content.modules.append(module) }
        }
    }

    /// Returns the class with a name of the model.
    func named(_ name: String) -> NSManagedObject.Type? {
        let (asked, modules) = content.withLock { ($0.asked[name], $0.modules) }
        return asked ?? ManagedObjectClasses.named(name, in: ManagedObjectClasses.programModules + modules)
    }

    /// Returns whether the class with a name is reported as missing for the first time.
    func noteMissing(_ name: String) -> Bool { content.withLock { $0.missing.insert(name).inserted } }
}

/// A lookup of subclasses of `NSManagedObject` by the names that models use.
enum ManagedObjectClasses {
    /// The modules that may be that of the program, whose classes a model names without a module, or with a leading dot.
    static let programModules: [String] = {
        let information = Bundle.main.infoDictionary
        let program = URL(fileURLWithPath: CommandLine.arguments.first ?? "").deletingPathExtension().lastPathComponent
        let names = [
            information?["CFBundleName"] as? String, information?["CFBundleExecutable"] as? String,
            ProcessInfo.processInfo.processName, program,
        ]
        var modules: [String] = []
        for module in names.compactMap({ $0.map(moduleName) }) where !module.isEmpty && !modules.contains(module) {
            modules.append(module)
        }
        return modules
    }()

    /// Returns the name of the module of a program, in which characters that no identifier may contain are replaced.
    static func moduleName(_ program: String) -> String {
        String(program.map { $0.isLetter || $0.isNumber ? $0 : "_" })
    }

    /// Returns a class by its name in a model: `Module.Dog`, or `Dog` and `.Dog` for a class of one of the given modules.
    static func named(_ name: String, in modules: [String]) -> NSManagedObject.Type? {
        let given = name.hasPrefix(".") ? String(name.dropFirst()) : name
        // Foundation complains about names with more parts on the standard error.
        let parts = given.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        if parts.count == 2 { return NSClassFromString(given) as? NSManagedObject.Type }
        for module in modules {
            if let type = NSClassFromString("\(module).\(given)") as? NSManagedObject.Type { return type }
        }
        return nil
    }

    /// Returns the names by which a model may name a class.
    static func names(of type: NSManagedObject.Type) -> [String] {
        [String(reflecting: type), String(describing: type), ".\(type)"]
    }
}

extension CompiledEntity {
    /// The name of the class of the entity's objects; nil if they are plain managed objects.
    var className: String? {
        guard let name = managedObjectClassName, !name.isEmpty, name != "NSManagedObject" else { return nil }
        return name
    }
}

extension NSPersistentStoreCoordinator {
    /// Reports, once for each name, that the objects of an entity are plain managed objects because their class does not
    /// exist.
    final func reportMissingClass(named name: String, of entity: CompiledEntity) {
        // Listeners listen to every store.
        guard let store = persistentStores.first?.objectStore as? SQLiteStore, classes.noteMissing(name) else { return }
        store.warn(
            CoreDataError(
                NSCoreDataError,
                "The class '\(name)' that the model names for the entity \(entity.name) does not exist in this program, so its objects are plain NSManagedObjects.",
                entity: entity.name))
    }
}
