import OpenCoreData
import SwormStore

/// A comparison of two stores, object by object.
final class StoreComparison {
    struct Change {
        var name: String
        var old: String?
        var new: String?
    }

    enum Difference {
        case added(String, [Change])
        case removed(String, [Change])
        case changed(String, [Change])
    }

    private let old: StoreReader
    private let new: StoreReader
    private let match: ObjectMatch
    private let oldLabels: ObjectLabels
    private let newLabels: ObjectLabels
    private let report: (Difference) throws -> Void

    init(
        of old: StoreReader, with new: StoreReader, by match: ObjectMatch,
        report: @escaping (Difference) throws -> Void
    ) throws {
        self.old = old
        self.new = new
        self.match = match
        self.report = report
        oldLabels = try ObjectLabels(of: old, by: match)
        newLabels = try ObjectLabels(of: new, by: match)
    }

    /// - Parameter names: The entities to compare; nil for all.
    func run(_ names: [String]?) throws {
        let all = Set((old.model.entities + new.model.entities).filter { !$0.isAbstract }.map(\.name))
        for name in all.sorted() where names?.contains(name) ?? true {
            let (left, right) = (old.model.entity(named: name), new.model.entity(named: name))
            let leftStream = try left.flatMap {
                $0.isAbstract ? nil : try ObjectStream(from: old, of: $0, blobs: .hash)
            }
            let rightStream = try right.flatMap {
                $0.isAbstract ? nil : try ObjectStream(from: new, of: $0, blobs: .hash)
            }
            let isKeyed =
                left.flatMap { match.attributes(of: $0, in: old.model) } != nil
                && right.flatMap { match.attributes(of: $0, in: new.model) } != nil
            if isKeyed {
                try compareByLabel(leftStream, with: rightStream)
            } else {
                try compareByKey(leftStream, with: rightStream)
            }
        }
    }

    /// Both streams are in key order, so each is read once and neither is held in memory.
    private func compareByKey(_ left: ObjectStream?, with right: ObjectStream?) throws {
        var (one, other) = (try left?.record(), try right?.record())
        while one != nil || other != nil {
            if let here = one, let there = other, here.name.key == there.name.key {
                try compare(here, with: there)
                (one, other) = (try left?.record(), try right?.record())
            } else if let here = one, other.map({ here.name.key < $0.name.key }) ?? true {
                try report(.removed(oldLabels.label(here.name), changes(from: here, to: nil)))
                one = try left?.record()
            } else if let there = other {
                try report(.added(newLabels.label(there.name), changes(from: nil, to: there)))
                other = try right?.record()
            }
        }
    }

    private func compareByLabel(_ left: ObjectStream?, with right: ObjectStream?) throws {
        var waiting: [String: ObjectRecord] = [:]
        while let record = try right?.record() { waiting[newLabels.label(record.name)] = record }
        while let record = try left?.record() {
            let label = oldLabels.label(record.name)
            if let other = waiting.removeValue(forKey: label) {
                try compare(record, with: other)
            } else {
                try report(.removed(label, changes(from: record, to: nil)))
            }
        }
        for (label, record) in waiting.sorted(by: { $0.value.name.key < $1.value.name.key }) {
            try report(.added(label, changes(from: nil, to: record)))
        }
    }

    private func compare(_ one: ObjectRecord, with other: ObjectRecord) throws {
        let changes = changes(from: one, to: other)
        if !changes.isEmpty { try report(.changed(oldLabels.label(one.name), changes)) }
    }

    /// Returns the properties in which two objects differ, or the properties with values if there is only one object.
    private func changes(from one: ObjectRecord?, to other: ObjectRecord?) -> [Change] {
        var changes: [Change] = []
        let properties = one?.properties ?? []
        let others = other?.properties ?? []
        let names =
            properties.map(\.name) + others.map(\.name).filter { name in !properties.contains { $0.name == name } }
        for (index, name) in names.enumerated() {
            let here = properties.indices.contains(index) ? properties[index].value : nil
            let there =
                others.indices.contains(index) && others[index].name == name
                ? others[index].value : others.first { $0.name == name }?.value
            let (old, new) = (here.map { text($0, labels: oldLabels) }, there.map { text($0, labels: newLabels) })
            // Swift treats strings as equal if they are canonically equivalent, even if their characters differ.
            if (old ?? "null").utf8.elementsEqual((new ?? "null").utf8) { continue }
            changes.append(Change(name: name, old: old, new: new))
        }
        return changes
    }

    private func text(_ value: ObjectRecord.Value, labels: ObjectLabels) -> String {
        switch value {
        case .attribute(let text): return text
        case .toOne(let name): return name.map(labels.label) ?? "null"
        case .toMany(let names, let isOrdered):
            guard !names.isEmpty else { return "null" }
            let texts = names.map(labels.label)
            return (isOrdered ? texts : texts.sorted()).joined(separator: ", ")
        }
    }
}
