import Sworm
import SwormTools
import TestSupport
import Testing

/// Every role, with children of every kind of past, along every kind of relation.
@Suite("The roles of branches", .overEachStore) struct TreeRoleTests {
    typealias Item = RoleModel.Item
    typealias Wish = RoleModel.Wish

    enum Situation: CaseIterable { case known, changed, new, gone, replaced, moved, elsewhere, free, reordered }

    /// The trees of the owners A and B in a situation. The owner C is not among the trees.
    private static func wishes(_ situation: Situation, _ kind: RoleModel.Kind) -> [Wish] {
        let a1 = Item(code: "a1", value: 1)
        let a2 = Item(code: "a2", value: 2)
        let b1 = Item(code: "b1", value: 3)
        var (a, b) = (kind.isToMany ? [a1, a2] : [a1], [b1])
        func put(_ item: Item) { a = kind.isToMany ? a + [item] : [item] }
        switch situation {
        case .known: break
        case .changed: a[0].value = 100
        case .new: put(Item(code: "new", value: 7))
        case .gone: a.removeLast()
        case .replaced: a[a.count - 1] = Item(code: "new", value: 7)
        case .moved:
            let moved = a.removeLast()
            b = kind.isToMany ? b + [moved] : [moved]
        case .elsewhere: put(Item(code: "c1", value: 40))
        case .free: put(Item(code: "free", value: 50))
        case .reordered: a.reverse()
        }
        return [Wish(owner: "A", items: a), Wish(owner: "B", items: b)]
    }

    @Test(arguments: RoleModel.Role.allCases, RoleModel.Kind.allCases)
    func `decide in every situation as their table says`(role: RoleModel.Role, kind: RoleModel.Kind) throws {
        try check(role.name, role, kind)
    }

    private func check<R: RoleName>(_ name: R.Type, _ role: RoleModel.Role, _ kind: RoleModel.Kind) throws {
        for situation in Situation.allCases { try check(kind.tree(name), situation, role, kind) }
    }

    private func check<Tree: RoleTree>(
        _ type: Tree.Type, _ situation: Situation, _ role: RoleModel.Role, _ kind: RoleModel.Kind
    ) throws {
        let name: Comment = "\(role), \(kind), \(situation)"
        let first = RoleState.first(kind)
        var expected = first
        let wishes = Self.wishes(situation, kind)
        let trees = wishes.map { Tree($0) }
        let outcome = expected.save(wishes, role, kind)
        if outcome.error != nil { expected = first }
        for isThroughObjects in [false, true] {
            let test = try TestStore.tested(for: RoleModel.Owner.self) { try first.insert(in: $0, kind) }
            let preview = Result { try test.container.read { try $0.plan(saving: trees) } }
            #expect(try test.container.read { try RoleState(in: $0, kind) } == first, name)
            let result = Result {
                try test.container.perform { context in
                    // Unsaved changes are a reason to save through objects.
                    if isThroughObjects { try context.insert(RoleModel.Item(code: "other", value: 0)) }
                    return try context.save(contentsOf: trees)
                }
            }
            var state = expected
            if isThroughObjects, outcome.error == nil { state.items["other"] = 0 }
            #expect(try test.container.read { try RoleState(in: $0, kind) } == state, name)
            switch outcome.error {
            case nil:
                let result = try result.get()
                #expect(result.written == outcome.result, name)
                let preview = try preview.get()
                #expect(preview.result == result, name)
                #expect(preview.changes.isEmpty == result.isEmpty, name)
                let again = try test.container.perform { try $0.save(contentsOf: trees) }
                // Items that are only linked keep their values, and added ones do not replace the rest.
                #expect(again.isEmpty, name)
            case let failure?:
                for result in [result.map { _ in () }, preview.map { _ in () }] {
                    let error = #expect(throws: StoreError.self, name) { try result.get() }
                    #expect(error?.code == failure.code, name)
                    // The items of a set have no positions.
                    let paths = [error?.path, failure.path].map { kind == .manyToMany ? $0?.prefix(9) : $0?.prefix(99) }
                    #expect(paths[0] == paths[1], name)
                }
            }
            try test.verifyIfFile()
        }
    }
}

extension TreeSaveResult {
    /// The numbers of objects that were changed.
    fileprivate var written: TreeSaveResult {
        var result = self
        result.unchanged = 0
        return result
    }
}
