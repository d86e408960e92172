import Foundation
import SwormPredicates
import SwormStore

/// A reader that builds a model from a keyed archive: a compiled model, or the cache in a store.
///
/// Unknown parts are ignored. Parts that cannot be represented, such as a default value of a class of the application
/// or a validation by a block, are left out and noted.
struct ModelArchiveReader {
    typealias Object = KeyedArchive.Object
    typealias Value = KeyedArchive.Value

    /// The maximum size of a store's cache that is read, in bytes after decompression. The caches of real stores have a
    /// few kilobytes, and reading a cache needs many times its size in memory.
    static let cacheLimit = 4 << 20

    let archive: KeyedArchive
    /// The origin of the archive, for messages.
    let source: String
    /// The entities by their object numbers in the archive.
    private var entities: [Int: NSEntityDescription] = [:]
    var links: [RelationshipLink] = []
    /// The notes about parts that were left out.
    private(set) var notes: [String] = []
    /// The number of list elements that may still be read. It limits the work, because an object may be part of many
    /// lists.
    private var budget = 4_000_000

    private init(_ archive: KeyedArchive, source: String) {
        self.archive = archive
        self.source = source
    }

    /// Reads an archive into a model without entities.
    ///
    /// - Returns: The notes about parts that were left out.
    /// - Throws: A ``CoreDataError`` that describes what is wrong with the archive or its model.
    @discardableResult
    static func read(_ data: Data, source: String, into model: NSManagedObjectModel) throws -> [String] {
        do {
            var reader = ModelArchiveReader(try KeyedArchive(data), source: source)
            try reader.read(into: model)
            return reader.notes
        } catch let error as ArchiveError {
            throw CoreDataError(
                CocoaError.Code.fileReadCorruptFile.rawValue, "\(source) cannot be read as a model: \(error).")
        }
    }

    private mutating func read(into model: NSManagedObjectModel) throws {
        guard let root = archive.root, root.className == "NSManagedObjectModel" else {
            throw ArchiveError(
                "it contains \(archive.root.map { "an object of \($0.className)" } ?? "nothing"), not a model")
        }
        var objects: [Object] = []
        for (_, value) in try pairs(archive[root, "NSEntities"]) {
            guard case .object(let object) = value, object.className == "NSEntityDescription",
                entities[object.number] == nil
            else { continue }
            objects.append(object)
            entities[object.number] = NSEntityDescription()
        }
        // The order in the archive has no meaning.
        objects.sort { VersionHash.precedes(name(of: $0), name(of: $1)) }
        let read = objects.compactMap { entities[$0.number] }
        var parents: [ObjectIdentifier: NSEntityDescription] = [:]
        for (object, entity) in zip(objects, read) {
            entity.name = name(of: object)
            guard let parent = archive.object(of: object, field: "NSSuperentity") else { continue }
            parents[ObjectIdentifier(entity)] = entities[parent.number]
        }
        if let issue = ModelLinks.faultOfInheritance(read, parents: parents) { throw modelIssue(issue.message) }
        for (object, entity) in zip(objects, read) { try fill(entity, from: object) }
        ModelLinks.inherit(read, parents: parents)
        try connect(read)
        if let issue = ModelLimits.issue(of: read) { throw modelIssue(issue.message) }
        model.entities = read
        model.versionIdentifiers = Set(
            try elements(archive[root, "NSVersionIdentifiers"]).compactMap { archive.string($0) })
        model.requestTemplates = try templates(of: root)
        for (key, value) in try pairs(archive[root, "NSConfigurations"]) {
            guard let name = archive.string(key), !name.isEmpty else { continue }
            let members = try elements(value).compactMap { member in
                if case .object(let object) = member { entities[object.number] } else { nil }
            }
            model.setEntities(members, forConfigurationName: name)
        }
    }

    private func name(of entity: Object) -> String { archive.string(of: entity, field: "NSEntityName") ?? "" }

    private func connect(_ read: [NSEntityDescription]) throws {
        let byName = Dictionary(read.map { ($0.name ?? "", $0) }, uniquingKeysWith: { first, _ in first })
        var issues: [String] = []
        ModelLinks.connect(links, in: byName) { issues.append($1) }
        if !issues.isEmpty { throw modelIssue(issues.prefix(20).joined(separator: " ")) }
    }

    // MARK: Parts

    private mutating func fill(_ entity: NSEntityDescription, from object: Object) throws {
        let name = entity.name ?? ""
        if let className = archive.string(of: object, field: "NSClassNameForEntity"), !className.isEmpty {
            entity.managedObjectClassName = className
        }
        entity.isAbstract = archive.flag(of: object, field: "NSIsAbstract")
        entity.versionHashModifier = archive.string(of: object, field: "NSVersionHashModifier")
        if let identifier = archive.string(of: object, field: "NSRenamingIdentifier"), identifier != name {
            entity.renamingIdentifier = identifier
        }
        entity.userInfo = try userInfo(archive[object, "NSUserInfo"])

        // Every entity has copies of its inherited properties.
        var inherited: Set<String> = []
        if let parent = archive.object(of: object, field: "NSSuperentity") {
            inherited = Set(try pairs(archive[parent, "NSProperties"]).compactMap { archive.string($0.key) })
        }
        var properties: [NSPropertyDescription] = []
        for (key, value) in try pairs(archive[object, "NSProperties"]) {
            guard let key = archive.string(key), !inherited.contains(key), case .object(let found) = value else {
                continue
            }
            if let property = try property(from: found, in: name, depth: 0) { properties.append(property) }
        }
        entity.properties = properties.sorted { VersionHash.precedes($0.name, $1.name) }
        entity.uniquenessConstraints = try groups(archive[object, "NSUniqueTuples"])
        entity.compoundIndexes = try groups(archive[object, "NSCompoundIndexes"])
        entity.indexes = try elements(archive[object, "NSFetchIndexDescriptions"]).compactMap { value in
            if case .object(let index) = value { try self.index(from: index, in: name) } else { nil }
        }
        dropIndexesOfTheFramework(entity)
    }

    /// Removes the indexes that Apple's framework adds to a model when it is used or compiled: a fetch index for every
    /// attribute that is flagged as indexed, and a compound index, which later systems ignore, for every fetch index.
    private func dropIndexesOfTheFramework(_ entity: NSEntityDescription) {
        let flagged = entity.ownProperties.filter(\.isIndexed)
        func names(_ index: NSFetchIndexDescription) -> [String] { index.elements.compactMap(\.propertyName) }
        // Returns the attribute that is the only element of an index.
        func only(_ index: NSFetchIndexDescription) -> String? {
            guard let element = index.elements.first, index.elements.count == 1, index.partialPredicate == nil,
                index.partialPredicateText == nil, element.isAscending, element.collationType == .binary,
                case .property(let name) = element.target
            else { return nil }
            return name
        }
        // The compiler flags such an attribute. If the archive has no index with the attribute's name as well, stores
        // do not have one either.
        for property in flagged {
            let titles = entity.indexes.filter { only($0) == property.name }.map(\.name)
            property.hasFetchIndex = !titles.isEmpty && !titles.contains(property.name)
        }
        entity.indexes.removeAll { index in flagged.contains { $0.name == index.name && only(index) == $0.name } }
        let indexed = entity.indexes.map(names)
        entity.compoundIndexes = entity.compoundIndexNames.filter { !indexed.contains($0) }
    }

    /// Returns lists of names. A property may appear in place of its name.
    private mutating func groups(_ value: Value) throws -> [[String]] {
        try elements(value).map { group in
            try elements(group).compactMap { member in
                if case .object(let object) = member, let name = archive.string(of: object, field: "NSPropertyName") {
                    return name
                }
                return archive.string(member)
            }
        }.filter { !$0.isEmpty }
    }

    private mutating func index(from object: Object, in entity: String) throws -> NSFetchIndexDescription {
        let name = archive.string(of: object, field: "NSIndexName") ?? ""
        var members: [NSFetchIndexElementDescription] = []
        for value in try elements(archive[object, "NSIndexElements"]) {
            guard case .object(let element) = value, let target = target(of: element) else { continue }
            let kind = UInt(exactly: archive.int(of: element, field: "NSFetchIndexElementType") ?? 0) ?? 0
            members.append(
                NSFetchIndexElementDescription(
                    target: target, collationType: NSFetchIndexElementType(rawValue: kind) ?? .binary,
                    isAscending: archive.flag(of: element, field: "NSAscending")))
        }
        let index = NSFetchIndexDescription(name: name, elements: members)
        if let predicate = archive.object(of: object, field: "NSPartialIndexPredicate") {
            if let tree = read({ try $0.predicate(predicate) }, for: "the predicate of index '\(entity).\(name)'") {
                index.partialPredicate = tree
                index.partialPredicateText = tree.format
            }
        }
        return index
    }

    private func target(of element: Object) -> NSFetchIndexElementDescription.Target? {
        let expression = archive.object(of: element, field: "NSIndexedProperty")
            .flatMap { archive.object(of: $0, field: "NSExpression") }
        if let expression {
            // The expression `self`.
            if archive.int(of: expression, field: "NSExpressionType") == 1 { return .primaryKey }
            let keys = try? ArchivedPredicate(archive).expression(expression).pathKeys
            switch keys {
            case ["entity"]?: return .entity
            case ["self"]?: return .primaryKey
            case let keys? where keys.count == 1: return .property(keys[0])
            default: return nil
            }
        }
        return archive.string(of: element, field: "NSPropertyName").map { .property($0) }
    }

    /// Calls a closure with a reader of predicates, and notes what it cannot read.
    mutating func read<Result>(_ body: (ArchivedPredicate) throws -> Result, for what: String) -> Result? {
        do {
            return try body(ArchivedPredicate(archive))
        } catch {
            note("\(what) cannot be read: \(error)")
            return nil
        }
    }

    mutating func note(_ text: String) {
        if notes.count < 1000 { notes.append(text) }
    }

    func modelIssue(_ message: String) -> CoreDataError { CoreDataError(NSCoreDataError, "\(source): \(message)") }

    // MARK: Lists

    mutating func elements(_ value: Value) throws(ArchiveError) -> [Value] {
        let elements = archive.elements(value)
        try spend(elements.count)
        return elements
    }

    mutating func pairs(_ value: Value) throws(ArchiveError) -> [(key: Value, value: Value)] {
        let pairs = archive.pairs(value)
        try spend(pairs.count)
        return pairs
    }

    private mutating func spend(_ count: Int) throws(ArchiveError) {
        budget -= count
        if budget < 0 { throw ArchiveError("its lists contain each other too often") }
    }
}
