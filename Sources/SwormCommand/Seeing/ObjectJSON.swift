import Foundation

/// The content of an object as JSON.
enum ObjectJSON {
    static func value(_ facts: ObjectFacts) -> JSONValue {
        .object([
            ("object", .string(facts.name.shown)), ("label", .optional(facts.label)), ("version", .int(facts.version)),
            ("attributes", .object(facts.attributes.map { ($0.name, $0.json) })),
            ("to", .array(facts.targets.map(target))), ("from", .array(facts.sources.map(source))),
            ("history", facts.changes.map { .array($0.map(change)) } ?? .null),
        ])
    }

    private static func target(_ target: ObjectFacts.Target) -> JSONValue {
        .object([
            ("relationship", .string(target.relationship)), ("isToMany", .bool(target.isToMany)),
            ("count", .count(target.count)), ("objects", .array(target.links.map(link))),
        ])
    }

    private static func source(_ source: ObjectFacts.Source) -> JSONValue {
        .object([
            ("relationship", .string(source.name)), ("count", .count(source.count)),
            ("objects", .array(source.links.map(link))),
        ])
    }

    private static func link(_ link: ObjectFacts.Link) -> JSONValue {
        var members: [(String, JSONValue)] = [("object", .string(link.name.shown)), ("label", .optional(link.label))]
        if !link.exists { members.append(("exists", .bool(false))) }
        return .object(members)
    }

    static func change(_ change: ObjectChange) -> JSONValue {
        .object([
            ("transaction", .int(change.transaction)), ("date", date(change.date)),
            ("author", .optional(change.author)), ("process", .optional(change.process)),
            ("kind", .string(change.kind.rawValue)),
            ("properties", change.properties.map { .array($0.map { .string($0) }) } ?? .null),
        ])
    }

    static func date(_ date: Date) -> JSONValue {
        let sink = ByteSink()
        DateText.write(date.timeIntervalSinceReferenceDate, to: sink)
        return .string(sink.text)
    }
}
