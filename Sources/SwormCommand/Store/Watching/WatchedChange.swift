import SwormStore

/// A change of one object, as `sworm-tool watch` shows it.
struct WatchedChange {
    enum Kind: String { case inserted, updated, deleted }

    struct Property {
        var name: String
        /// The values as JSON; nil if it is missing or unknown.
        var old: String?
        var new: String?
        /// Whether a later transaction has replaced the value before it was read.
        var isReplaced = false
    }

    /// The commits that contain a change.
    struct Source {
        /// The number of the transaction in the history.
        var transaction: Int64?
        /// The seconds since 2001-01-01 of the transaction, or of the time at which it was noticed.
        var seconds: Double
        var author: String?
        /// The number of commits that were read together; nil if it is unknown.
        var commits: Int? = 1
    }

    var source: Source
    var name: ObjectName
    var kind: Kind
    var properties: [Property]
}

extension WatchedChange {
    /// Writes the change as one line of JSON.
    func writeJSON(to sink: ByteSink) {
        sink.write("{" as StaticString)
        if let number = source.transaction { sink.write("\"transaction\":\(number),") }
        sink.write("\"date\":\"" as StaticString)
        DateText.write(source.seconds, to: sink)
        sink.write("\"," as StaticString)
        if let author = source.author {
            sink.write("\"author\":" as StaticString)
            sink.writeJSON(author)
            sink.write("," as StaticString)
        }
        if source.commits != 1 {
            sink.write("\"merged\":true," as StaticString)
            if let commits = source.commits { sink.write("\"commits\":\(commits),") }
        }
        sink.write("\"kind\":\"\(kind.rawValue)\",\"entity\":")
        sink.writeJSON(name.entity)
        sink.write(",\"self\":" as StaticString)
        sink.writeJSON(name.description)
        sink.write(",\"properties\":{" as StaticString)
        for (index, property) in properties.enumerated() {
            if index > 0 { sink.write("," as StaticString) }
            sink.writeJSON(property.name)
            sink.write(":{" as StaticString)
            var isFirst = true
            for (key, value) in [("old", property.old), ("new", property.new)] {
                guard let value else { continue }
                if !isFirst { sink.write("," as StaticString) }
                isFirst = false
                sink.write("\"\(key)\":\(value)")
            }
            if property.isReplaced { sink.write(isFirst ? "\"replaced\":true" : ",\"replaced\":true") }
            sink.write("}" as StaticString)
        }
        sink.write("}}\n" as StaticString)
    }

    /// Writes the change as one line of text.
    func writeText(to sink: ByteSink) {
        DateText.write(source.seconds, to: sink)
        sink.write(" \(kind.rawValue) \(name)")
        for (index, property) in properties.enumerated() {
            sink.write(index == 0 ? " " : ", ")
            sink.write("\(property.name): ")
            switch (property.old, property.new) {
            case (let old?, let new?): sink.write("\(old) -> \(new)")
            case (let old?, nil): sink.write(property.isReplaced ? "\(old) -> …" : old)
            case (nil, let new?): sink.write(new)
            case (nil, nil): sink.write("…" as StaticString)
            }
        }
        if let author = source.author { sink.write(" [\(author)]") }
        switch source.commits {
        case 1?: break
        case let commits?: sink.write(" (\(commits) commits)")
        case nil: sink.write(" (one commit or more)" as StaticString)
        }
        sink.write("\n" as StaticString)
    }
}
