// Large data lies in files beside the store. Who reads a state of the store keeps the files of that state, whatever is
// committed elsewhere; and a save succeeds under every merge policy that settles conflicts.
import Comparison
import Foundation
import Sworm

var comparison = Comparison("external")

/// A way to read the document.
enum Reading: CaseIterable { case decode, handle, attribute, filtered, heldHandle }

func read(_ way: Reading, _ context: ManagedObjectContext, _ held: ManagedObject<Document>?) throws -> String {
    switch way {
    case .decode: try context.decode(Document.all).first?.description ?? "none"
    case .filtered: try context.decode(Document.all.where { $0.data != nil }).first?.description ?? "none"
    case .handle: try context.fetchOne(Document.all)?.decode().description ?? "none"
    case .attribute: "first \(try context.fetchOne(Document.all)?.decode(\.data).map { "\($0.first ?? 0)" } ?? "none")"
    case .heldHandle: try held?.decode().description ?? "none"
    }
}

for foreign in Change.allCases {
    for way in Reading.allCases {
        comparison.expect("read by \(way), after \(foreign) elsewhere", "first 1, first 1") {
            let pair = try Pair()
            return try pair.mine.perform { context in
                let held = try context.fetchOne(Document.all)
                _ = try held?.decode(\.title)
                try pair.other.perform { try foreign.make($0, "theirs", 2) }
                let once = try read(way, context, held)
                // Another one opens the store, and more changes follow.
                let third = try open(pair.folder)
                for byte: UInt8 in 5...8 { try third.perform { try Change.replace.make($0, "", byte) } }
                return "\(once), \(try read(way, context, held))"
            }
        }
    }

    for mine in Change.allCases {
        for policy in Policy.all {
            for isEarly in [false, true] {
                let order = isEarly ? "before" : "after"
                comparison.expect(
                    "\(policy): mine \(mine), theirs \(foreign), mine made \(order) theirs",
                    wanted(mine, foreign, policy)
                ) {
                    let pair = try Pair(policy.type)
                    var outcome = "saved"
                    do {
                        try pair.mine.perform { context in
                            _ = try context.fetchOne(Document.all)?.decode(\.title)
                            if isEarly { try mine.make(context, "mine", 3) }
                            try pair.other.perform { try foreign.make($0, "theirs", 2) }
                            if !isEarly { try mine.make(context, "mine", 3) }
                        }
                    } catch StoreError.Code.conflict {
                        outcome = "conflict"
                    }
                    return "\(outcome), \(try pair.document)"
                }
            }
        }
    }
}
comparison.end()
