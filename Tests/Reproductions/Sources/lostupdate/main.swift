// A perform reads one state of the store. A bulk write of what follows from it is a conflict, under every merge policy, when
// anybody has committed since; a change of an object is one under the policy error.
import Comparison
import Foundation
import Sworm

// A process of its own, for the last cases: PATH WAY COUNT.
if CommandLine.arguments.count == 4, let way = Way(rawValue: CommandLine.arguments[2]),
    let count = Int(CommandLine.arguments[3])
{
    try add(count, way, in: try open(URL(fileURLWithPath: CommandLine.arguments[1])))
    exit(0)
}

var comparison = Comparison("lostupdate")

for way in Way.allCases {
    for policy in Policy.all {
        let isConflict = !way.isSettled || policy.type == .errorMergePolicyType
        comparison.expect(
            "\(way), \(policy): the other one adds between the read and the write",
            "\(isConflict ? "conflict" : "saved"), value 1, then 2"
        ) {
            let pair = try Pair(policy.type)
            var outcome = "saved"
            do {
                try pair.mine.perform { context in try way.add(in: context) { try pair.addByOther() } }
            } catch StoreError.Code.conflict {
                outcome = "conflict"
            }
            let value = try pair.value
            try pair.mine.perform { try way.add(in: $0) {} }
            return "\(outcome), value \(value), then \(try pair.value)"
        }

        comparison.expect("\(way), \(policy): nobody adds", "2") {
            let pair = try Pair(policy.type)
            for _ in 0..<2 { try pair.mine.perform { try way.add(in: $0) {} } }
            return "\(try pair.value)"
        }
    }
}

for policy in Policy.all {
    comparison.expect("\(policy): a bulk write without a read before begins at once", "10") {
        let pair = try Pair(policy.type)
        try pair.mine.perform { context in
            try pair.addByOther()
            try context.update(Counter.all, set: (\.value, 10))
        }
        return "\(try pair.value)"
    }

    comparison.expect("\(policy): a perform is one state", "0 0 0 0, conflict, 0 0") {
        let pair = try Pair(policy.type)
        return try pair.mine.perform { context in
            func counts() throws -> String {
                "\(try context.count(of: Entry.all)) \(try context.decodeOne(Counter.all)?.value ?? -1)"
            }
            var seen = try counts()
            try pair.addByOther()
            try context.insert(contentsOf: [Counter]())
            seen += " " + (try counts())
            do {
                try context.insert(contentsOf: [Entry(text: "mine")])
            } catch StoreError.Code.conflict {
                seen += ", conflict"
            }
            return seen + ", " + (try counts())
        }
    }
}

for way in Way.allCases {
    comparison.expect("\(way): four threads add", "100") {
        let pair = try Pair()
        let (store, group) = (pair.mine, DispatchGroup())
        for _ in 0..<4 {
            group.enter()
            Thread.detachNewThread {
                defer { group.leave() }
                try? add(25, way, in: store)
            }
        }
        group.wait()
        return "\(try pair.value)"
    }

    comparison.expect("\(way): three processes add", "90") {
        let pair = try Pair()
        let processes = try (0..<3).map { _ in
            let process = Process()
            process.executableURL = Bundle.main.executableURL
            process.arguments = [pair.folder.store.path, way.rawValue, "30"]
            try process.run()
            return process
        }
        for process in processes { process.waitUntilExit() }
        return "\(try pair.value)"
    }
}
comparison.end()
