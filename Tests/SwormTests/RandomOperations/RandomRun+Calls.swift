import Sworm
import TestSupport

// Calls, outermost and nested.
extension RandomRun {
    /// Runs one outermost call.
    func runCall() throws {
        if random.chance(40) { try changeOutside() }
        let access: Access = random.chance(15) ? .read : random.chance(25) ? .write : .perform
        let isOwnWrite = access == .write
        call = isOwnWrite ? PlainCall(committed, isWriting: true) : outside ?? PlainCall(committed, isWriting: false)
        (foreignLeaves, hasForeignCommit) = ([], false)
        let isThrowing = random.chance(25)
        note("\(access)\(isThrowing ? ", will throw" : "")", 0)
        var hasReturned = false
        do {
            try run(access) { context in
                var frame = Frame(context: context, depth: 1, isReadOnly: access == .read)
                try operate(&frame, isThrowing: isThrowing)
                if !isThrowing, access != .read, random.chance(12) { try insertTakenKey(&frame) }
                hasReturned = !isThrowing
                if isThrowing { throw Interruption() }
            }
            try expect(hasReturned, "a call that throws has returned")
            try end(access, nil)
        } catch is Interruption where isThrowing {
            log.append("thrown")
            if outside != nil { meet(.keptUnsavedChange) }
        } catch let error as StoreError where hasReturned {
            log.append("ended with \(error)")
            try end(access, error)
        }
        try checkOutside(after: access)
        try checkStore()
    }

    private func run(_ access: Access, _ body: (ManagedObjectContext) throws -> Void) throws {
        switch access {
        case .read: try stores.container.read(body)
        case .perform: try stores.container.perform(action: body)
        case .write: try stores.container.write(body)
        }
    }

    /// The end of a call whose closure did not throw.
    private func end(_ access: Access, _ error: StoreError?) throws {
        guard access != .read else {
            if let error { throw error }
            return
        }
        switch call.ending(over: committed, setting.policy) {
        case .saved(let state):
            if let error { throw error }
            let isSettled = call.changes.contains { $1 != .inserted && foreignLeaves.contains($0) }
            if isSettled, !call.isWriting { meet(.settled) }
            if call.changes.contains(where: { $1 == .inserted && call.visible[$0] != nil && state[$0] == nil }) {
                meet(.united)
            }
            committed = state
            if access == .perform {
                if outside != nil { meet(.savedUnsavedChange) }
                outside = nil
            }
        case .rejected(let codes):
            meet(.rejected)
            try expect(error != nil, "the save succeeds; wanted one of \(codes)")
            try expect(error.map { codes.contains($0.code) } ?? false, "\(error?.code as Any); wanted one of \(codes)")
        }
    }

    /// Runs a call inside of the one that runs.
    func runInnerCall(_ outer: inout Frame) throws {
        let access = Access.allCases[random.pick(3)]
        let isThrowing = random.chance(50)
        note("inner \(access)\(isThrowing ? ", will throw" : "")", outer.depth)
        let frame = outer
        guard access != .write || call.isWriting && !outer.isReadOnly else {
            return try expectError(outer.isReadOnly ? .readOnly : .unsupported) {
                try run(.write) { _ in throw Difference(description: "a write that cannot join runs") }
            }
        }
        let before = call
        do {
            try run(access) { context in
                var inner = Frame(
                    context: context, depth: frame.depth + 1, isReadOnly: frame.isReadOnly || access == .read)
                // Handles of the outer call may be used here too.
                inner.handles = frame.handles
                try operate(&inner, isThrowing: isThrowing)
                if isThrowing { throw Interruption() }
            }
            try expect(!isThrowing, "a call that throws has returned")
        } catch is Interruption where isThrowing {
            meet(call.isWriting && !before.isWriting ? .undoneBulkWrite : .undone)
            call.undo(to: before, over: committed)
            log.append(String(repeating: "    ", count: outer.depth) + "undone")
        }
        for _ in 0..<random.pick(3) { try look(&outer) }
    }

    /// Does some operations in a call.
    private func operate(_ frame: inout Frame, isThrowing: Bool) throws {
        for _ in 0..<random.pick(frame.depth == 1 ? 12 : 7) + 1 { try operate(&frame) }
    }

    private func operate(_ frame: inout Frame) throws {
        let number = random.pick(100)
        if number < 22 { return try look(&frame) }
        if number < 36 {
            if frame.depth < 4 { try runInnerCall(&frame) }
            return
        }
        if number < 43 { return try commitElsewhere(frame.depth) }
        if frame.isReadOnly { return try tryToWrite(&frame) }
        if number < 72 { return try changeObjects(&frame) }
        try writeInBulk(&frame)
    }

    /// Tries to change something inside of a read.
    private func tryToWrite(_ frame: inout Frame) throws {
        note("change in a read", frame.depth)
        let context = frame.context
        let kind = random.pick(5)
        try expectError(.readOnly) {
            switch kind {
            case 0: try context.insert(RandomLeaf(key: 0))
            case 1: try context.insert(contentsOf: [RandomLeaf(key: 0)])
            case 2: try context.update(RandomLeaf.all, set: (\.a, ""))
            case 3: try context.batchDelete(RandomLeaf.all)
            default: try context.upsert([RandomLeaf(key: 0)])
            }
        }
    }
}
