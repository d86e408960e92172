import CBenchSQLite
import Foundation
import Sworm

/// Requests with a condition of two terms, each made anew: what one costs beyond a request at hand, without a condition, whose
/// statement is at hand too; and beyond the same statement, prepared and bound through the C interface.
///
/// The table is empty, so that what is left is the way down: the condition, its SQL, and its values. Entities of different
/// width show whether that way depends on the number of attributes.
func conditionBenches(_ place: Workplace, _ options: Options) -> [Bench] {
    conditionBenches("5 attributes", place, options) { year in
        Slim.all.where { $0.year > year && $0.title == "x" }
    }
        + conditionBenches("50 attributes", place, options) { year in
            Broad.all.where { $0.year > year && $0.title == "x" }
        }
        + conditionBenches("200 attributes", place, options) { year in
            Vast.all.where { $0.year > year && $0.title == "x" }
        }
}

private func conditionBenches<T: Wide>(
    _ width: String, _ place: Workplace, _ options: Options, _ request: @escaping (Int) -> Request<T>
) -> [Bench] {
    let count = options.isQuick ? 5_000 : 20_000
    var opened: PersistentContainer?
    func store() throws -> PersistentContainer {
        if let opened { return opened }
        let store = try PersistentContainer(for: T.self, at: .file(place.url("\(T.entityName).sqlite")))
        opened = store
        return store
    }
    typealias Find = (ManagedObjectContext, Request<T>) throws -> Bool
    func side(_ role: Side.Role, _ find: @escaping Find, _ request: @escaping (Int) -> Request<T>) -> Side {
        Side(role, prepare: { _ = try store() }, fingerprint: { $0 }) {
            try store().perform { context in
                var found = 0
                for index in 0..<count where try find(context, request(1800 + index)) { found += 1 }
                return found
            }
        }
    }
    func bench(_ name: String, _ first: Side, _ find: @escaping Find) -> Bench {
        Bench(
            Bar("\(name), \(width)", .extraMicroseconds(operations: count), than: first.role, must: 3, aim: 2),
            sides: [first, side(.own, find, request)])
    }
    let all = T.all
    func decode(_ context: ManagedObjectContext, _ request: Request<T>) throws -> Bool {
        try context.decodeOne(request) != nil
    }
    func fetch(_ context: ManagedObjectContext, _ request: Request<T>) throws -> Bool {
        try context.fetchOne(request) != nil
    }
    let byHand = Side(.byHand, prepare: { _ = try store() }, fingerprint: { $0 }) {
        let raw = try place.raw("\(T.entityName).sqlite")
        let table = "Z\(T.entityName.uppercased())"
        let statement = try raw.statement("SELECT * FROM \(table) WHERE ZYEAR > ? AND ZTITLE = ? LIMIT 1").pointer
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        try raw.beginReading()
        var found = 0
        for index in 0..<count {
            sqlite3_bind_int64(statement, 1, sqlite3_int64(1800 + index))
            sqlite3_bind_text(statement, 2, "x", 1, transient)
            if sqlite3_step(statement) == SQLITE_ROW { found += 1 }
            sqlite3_reset(statement)
        }
        try raw.run("COMMIT")
        return found
    }
    return [
        bench("decodeOne", side(.less, decode) { _ in all }, decode),
        bench("fetchOne", side(.less, fetch) { _ in all }, fetch),
        bench("decodeOne beside SQLite", byHand, decode),
    ]
}

// MARK: Entities

private protocol Wide: ManagedObjectConvertible where Relations == Void {}

private struct Slim: Wide {
    var title = ""
    var year = 0
    var filler = Three()
    static let attributes = table(\.title, \.year, \.filler)
}

private struct Broad: Wide {
    var title = ""
    var year = 0
    var filler = Four<Four<Three>>()
    static let attributes = table(\.title, \.year, \.filler)
}

private struct Vast: Wide {
    var title = ""
    var year = 0
    var filler = Both<Four<Four<Four<Three>>>, Both<Three, Three>>()
    static let attributes = table(\.title, \.year, \.filler)
}

extension Wide {
    /// A title, a year, and numbers that make the row wide.
    fileprivate static func table<F: Filler>(
        _ title: any WritableKeyPath<Self, String> & Sendable, _ year: any WritableKeyPath<Self, Int> & Sendable,
        _ filler: WritableKeyPath<Self, F>
    ) -> Set<Attribute<Self>> {
        var attributes: Set<Attribute<Self>> = [.init(title, "title"), .init(year, "year")]
        for (path, name) in F.fields {
            let path = filler.appending(path: path)
            // A path of stored properties holds nothing; the compiler sees that only in paths that are written down.
            attributes.insert(.init(unsafeBitCast(path, to: (any WritableKeyPath<Self, Int> & Sendable).self), name))
        }
        return attributes
    }
}

private protocol Filler: Sendable {
    init()
    static var fields: [(path: WritableKeyPath<Self, Int>, name: String)] { get }
}

extension Filler {
    /// The numbers of a part, with its name before theirs.
    static func fields<Part: Filler>(
        _ path: WritableKeyPath<Self, Part>, _ prefix: String
    ) -> [(path: WritableKeyPath<Self, Int>, name: String)] {
        Part.fields.map { (path.appending(path: $0.path), prefix + $0.name) }
    }
}

private struct Three: Filler {
    var first = 0
    var second = 0
    var third = 0

    static var fields: [(path: WritableKeyPath<Three, Int>, name: String)] {
        [(\.first, "a"), (\.second, "b"), (\.third, "c")]
    }
}

private struct Four<Part: Filler>: Filler {
    var first = Part()
    var second = Part()
    var third = Part()
    var fourth = Part()

    static var fields: [(path: WritableKeyPath<Four, Int>, name: String)] {
        fields(\.first, "a") + fields(\.second, "b") + fields(\.third, "c") + fields(\.fourth, "d")
    }
}

private struct Both<First: Filler, Second: Filler>: Filler {
    var first = First()
    var second = Second()

    static var fields: [(path: WritableKeyPath<Both, Int>, name: String)] {
        fields(\.first, "y") + fields(\.second, "z")
    }
}
