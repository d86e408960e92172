// A perform inside of another one that writes in bulk, changes an object that the write has touched, and throws. Nothing of
// it may be seen or saved afterwards.
import Comparison
import Sworm

var comparison = Comparison("undone")

/// A bulk write, and a change of objects that it touched.
enum Touch: CaseIterable { case encode, delete, fetch, insert }

func touch(_ touch: Touch, _ handles: [ManagedObject<Row>], _ context: ManagedObjectContext) throws {
    for handle in handles {
        switch touch {
        case .encode: try handle.encode(\.b, "UNDONE")
        case .delete: try context.delete(handle)
        case .fetch: _ = try handle.decode()
        case .insert: try context.insert(Row(key: 1000 + handle.decode(\.key), a: "UNDONE", b: "UNDONE"))
        }
    }
}

for kind in Kind.allCases {
    for policy in Policy.all {
        let setting = "\(kind), \(policy)"

        for change in Touch.allCases {
            comparison.expect(
                "\(setting): update(set:) and \(change), undone; then the handle is read and encoded",
                "handle 1:a1/b1, rows 1:new/UNDONE 2:a2/b2, saved 1:new/UNDONE 2:a2/b2"
            ) {
                let store = try Store(kind, policy)
                var seen = ""
                try store.container.perform { context in
                    try store.undo { inner in
                        _ = try inner.update(Row.all, set: (\.b, "UNDONE"))
                        try touch(change, try inner.fetch(Row.all.where { $0.key == 1 }), inner)
                    }
                    guard let handle = try context.fetchOne(Row.all.where { $0.key == 1 }) else { return }
                    seen = "handle \(try handle.decode())"
                    // The value that was undone is wanted now.
                    try handle.encode(Row(key: 1, a: "new", b: "UNDONE"))
                    seen += ", rows \(text(try context.decode(Row.all.sort(\.key))))"
                }
                return "\(seen), saved \(try store.rows)"
            }

            for isUpsert in [false, true] {
                let write = isUpsert ? "upsert" : "insert(contentsOf:)"
                comparison.expect(
                    "\(setting): \(write) and \(change), undone; then other rows get the keys",
                    "handles 1:a1/b1 2:a2/b2 108:r/r 109:r/r, found 108:r/r 109:r/r, "
                        + "with an unsaved one 1:a1/b1 2:a2/b2 50:p/p 108:r/r 109:r/r, updated 0, "
                        + "saved 1:a1/b1! 2:a2/b2! 50:p/p! 108:r/r! 109:r/r!"
                ) {
                    let store = try Store(kind, policy)
                    var seen = ""
                    try store.container.perform { context in
                        try store.undo { inner in
                            let rows = [Row(key: 8, a: "UNDONE8", b: "x"), Row(key: 9, a: "UNDONE9", b: "x")]
                            if isUpsert { try inner.upsert(rows) } else { try inner.insert(contentsOf: rows) }
                            try touch(change, try inner.fetch(Row.all.where { $0.key >= 8 }), inner)
                        }
                        try context.insert(contentsOf: [Row(key: 108, a: "r", b: "r"), Row(key: 109, a: "r", b: "r")])
                        let handles = try context.fetch(Row.all.sort(\.key))
                        seen = "handles \(text(try handles.map { try $0.decode() }))"
                        let found = try context.decode(Row.all.where { $0.key >= 100 }.sort(\.key))
                        seen += ", found \(text(found))"
                        try context.insert(Row(key: 50, a: "p", b: "p"))
                        seen += ", with an unsaved one \(text(try context.decode(Row.all.sort(\.key))))"
                        let count = try context.update(Row.all.where { $0.key == 8 }, set: (\.b, "WRONG ROW"))
                        seen += ", updated \(count)"
                        for handle in try context.fetch(Row.all) {
                            try handle.encode(\.b, try handle.decode(\.b) + "!")
                        }
                    }
                    return "\(seen), saved \(try store.rows)"
                }
            }

            comparison.expect(
                "\(setting): update(set:) and \(change), undone; then what has the value is deleted",
                "1:a1/b1 2:a2/b2 50:p/p"
            ) {
                let store = try Store(kind, policy)
                try store.container.perform { context in
                    try store.undo { inner in
                        _ = try inner.update(Row.all.where { $0.key == 1 }, set: (\.b, "delete me"))
                        try touch(change, try inner.fetch(Row.all.where { $0.key == 1 }), inner)
                    }
                    try context.insert(Row(key: 50, a: "p", b: "p"))
                    try context.delete(Row.all.where { $0.b == "delete me" })
                }
                return try store.rows
            }

            comparison.expect(
                "\(setting): update(set:) and \(change) in an outermost perform that throws; then the next one",
                "handles 1:a1/b1 2:a2/b2, saved 1:a1/new 2:a2/new"
            ) {
                let store = try Store(kind, policy)
                try store.undo { context in
                    _ = try context.update(Row.all, set: (\.b, "UNDONE"))
                    try touch(change, try context.fetch(Row.all), context)
                }
                var seen = ""
                try store.container.perform { context in
                    let handles = try context.fetch(Row.all.sort(\.key))
                    seen = text(try handles.map { try $0.decode() })
                    for handle in handles { try handle.encode(\.b, "new") }
                }
                return "handles \(seen), saved \(try store.rows)"
            }
        }

        comparison.expect(
            "\(setting): an undone change of one attribute, then one of another attribute",
            "1:new/b1 2:a2/b2"
        ) {
            let store = try Store(kind, policy)
            try store.container.perform { context in
                try store.undo { inner in
                    _ = try inner.update(Row.all, set: (\.b, "UNDONE"))
                    try inner.fetchOne(Row.all.where { $0.key == 1 })?.encode(\.a, "UNDONE")
                }
                try context.fetchOne(Row.all.where { $0.key == 1 })?.encode(\.a, "new")
            }
            return try store.rows
        }
    }
}
comparison.end()
