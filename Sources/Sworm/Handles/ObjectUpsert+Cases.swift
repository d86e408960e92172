import SwormPredicates

extension EntityBinding {
    /// Inserts, updates or ignores the objects of all values. If it throws an error, it changes nothing.
    func upsertObjects(
        _ values: some Sequence<T>, on constraint: [String]?, updates: UpsertUpdates?,
        in context: NSManagedObjectContext
    ) throws -> Upsert.Result {
        let before = Checkpoint(of: context)
        var result = Upsert.Result()
        do {
            let upsert = part(on: constraint, updates: updates, in: context)
            for value in values { result += try upsert.add(value) }
            result += try upsert.end()
        } catch {
            context.restore(before)
            throw error
        }
        return result
    }

    fileprivate func part(
        on constraint: [String]?, updates: UpsertUpdates?, in context: NSManagedObjectContext
    ) -> any UpsertPart<T> {
        guard let cases else {
            return StructPart(ObjectUpsert(binding: self, context: context, on: constraint, updates: updates))
        }
        return CaseParts(cases.all.map { $0.part(on: constraint, updates: updates, in: context) }, of: mapping)
    }
}

extension SubentityBinding {
    fileprivate func part(
        on constraint: [String]?, updates: UpsertUpdates?, in context: NSManagedObjectContext
    ) -> any CasePart<Superentity> {
        LinkedPart(link: link, part: binding.part(on: constraint, updates: updates, in: context))
    }
}

/// A collection of values that are upserted together.
private protocol UpsertPart<Value>: AnyObject {
    associatedtype Value
    func add(_ value: Value) throws -> Upsert.Result
    func end() throws -> Upsert.Result
}

private final class StructPart<T: ManagedTreeConvertible>: UpsertPart {
    private let upsert: ObjectUpsert<T>
    private var values: [[AttributeValue]] = []

    init(_ upsert: ObjectUpsert<T>) { self.upsert = upsert }

    func add(_ value: T) throws -> Upsert.Result {
        values.append(try upsert.binding.mapping.values(of: value))
        return values.count < 500 ? Upsert.Result() : try end()
    }

    func end() throws -> Upsert.Result {
        defer { values.removeAll(keepingCapacity: true) }
        return try upsert.take(values)
    }
}

private protocol CasePart<Value> {
    associatedtype Value
    func holds(_ value: Value) -> Bool
    /// Adds the struct of a value of the case.
    func add(_ value: Value) throws -> Upsert.Result
    func end() throws -> Upsert.Result
}

private struct LinkedPart<Link: SubentityLink>: CasePart {
    let link: Link
    let part: any UpsertPart<Link.Object>

    func holds(_ value: Link.Superentity) -> Bool { link.holds(value) }

    func add(_ value: Link.Superentity) throws -> Upsert.Result {
        try link.object(of: value).map { try part.add($0) } ?? Upsert.Result()
    }

    func end() throws -> Upsert.Result { try part.end() }
}

/// The values of an enum of structs. Values of different cases are upserted in their order.
private final class CaseParts<T: ManagedTreeConvertible>: UpsertPart {
    private let parts: [any CasePart<T>]
    private let mapping: EntityMapping<T>
    private var current: Int?

    init(_ parts: [any CasePart<T>], of mapping: EntityMapping<T>) { (self.parts, self.mapping) = (parts, mapping) }

    func add(_ value: T) throws -> Upsert.Result {
        guard let index = parts.firstIndex(where: { $0.holds(value) }) else { throw mapping.missingCase(of: value) }
        var result = Upsert.Result()
        // The values of the other case come before this one.
        if let current, current != index { result += try parts[current].end() }
        current = index
        result += try parts[index].add(value)
        return result
    }

    func end() throws -> Upsert.Result { try current.map { try parts[$0].end() } ?? Upsert.Result() }
}

extension Upsert.Result {
    fileprivate static func += (left: inout Self, right: Self) {
        left.inserted += right.inserted
        left.updated += right.updated
        left.ignored += right.ignored
    }
}
