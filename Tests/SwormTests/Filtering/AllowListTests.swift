import Foundation
import Sworm
import TestSupport
import Testing

@Suite("The secrets that an allow list protects", .overEachStore)
struct AllowListTests {
    @Test(arguments: [
        ("SELF['pin'] == 1234", []), ("SELF[%@] == 1234", ["pin"]), ("SELF[lowercase('PIN')] == 1234", []),
        ("FUNCTION(SELF, 'objectFrom:withIndex:', 'pin') == 1234", []), ("friend['dossier']['pin'] == 1234", []),
        ("objectFrom:withIndex:(SELF, 'pin') == 1234", []), ("witnesses['name'] CONTAINS 'x'", []),
        ("witnesses[name.length].year == 1", []), ("witnesses[1.0].year == 1", []), ("{SELF}[name] == 1", []),
        ("TERNARY(FALSEPREDICATE, friend, SELF).year == 1999", []),
        ("TERNARY(name == 'nono', friend, SELF).year == 1999", []),
        ("TERNARY(FALSEPREDICATE, 'a', SELF).length == 7", []), ("TERNARY(TRUEPREDICATE, nil, SELF).length == 7", []),
        ("length(SELF) == 7", []), ("length(friend) == 7", []), ("noindex(SELF).length == 7", []),
        ("noindex(SELF).pin == 7", []), ("ANY {SELF}.length == 7", []), ("{SELF}.@max.length == 7", []),
        ("ANY ({} UNION {SELF}).length == 7", []), ("ANY ({friend} UNION {SELF}).year == 7", []),
        ("ANY ({SELF} INTERSECT {friend, SELF}).year == 7", []), ("ANY {friend, SELF}.year == 7", []),
        ("SUBQUERY({SELF}, $x, $x.length == 7).@count == 1", []), ("CAST(SELF, 'NSManagedObjectID').pin == 1", []),
        ("SUBQUERY(witnesses, $x, SUBQUERY({SELF}, $x, $x.year == 7).@count == 1).@count == 1", []),
        ("SUBQUERY({SELF}, $x, SUBQUERY({friend}, $x, $x.year == 7).@count == $x.year).@count == 1", []),
        ("SUBQUERY({friend, SELF}, $x, $x.year == 7).@count == 1", []), ("%K == 1234", ["pin"]),
        ("%K == 1234", ["SELF.pin"]), ("#SELF == nil", []), ("%K == nil", ["friend.dossier"]), ("max({SELF}) == 1", []),
        ("CAST(SELF, 'NSString') CONTAINS '1234'", []), ("uppercase(SELF) == 'x'", []), ("SELF + 1 == 1235", []),
        ("SELF > 3", []), ("SELF BETWEEN {1, 3}", []), ("SELF LIKE '*1234*'", []), ("friend == 5", []),
        ("friend IN {1, 2}", []), ("witnesses CONTAINS 3", []), ("SELF IN 'abc'", []), ("name.@count == 1", []),
        ("SELF.@count == 1", []), ("friend[0].year == 1", []), ("year.length == 3", []), ("nil.pin == 3", []),
        ("friend.year.length == 3", []), ("$x == 3", []), ("objectID == nil", []), ("sum(name.pin) == 1", []),
    ])
    func `conditions that could read more are rejected`(format: String, arguments: [String]) throws {
        let condition = try Condition<Dossier>.received(format, arguments)
        let error = storeError { try condition.check(against: .dossiers) }
        #expect(error?.code == .conditionNotAllowed, "\(String(describing: error))")
    }

    @Test(arguments: [
        "TERNARY(name == 'a', friend, witnesses[FIRST]).year == 3", "length(name) == 3", "name.length == 3",
        "TERNARY(TRUEPREDICATE, name, nil).length == 3", "friend == nil", "SELF IN {SELF}", "friend IN witnesses",
        "witnesses CONTAINS friend", "ANY witnesses == friend", "ANY (witnesses UNION {friend}).year > 3",
        "witnesses.@max.year > 3", "SUBQUERY(witnesses, $w, $w.year > 3 AND name != 'a').@count > 1",
        "witnesses[0].year == 3", "witnesses[SIZE] > 3", "noindex(friend).year == 3", "max({1, friend.year}) > 3",
        "max({name, 'a'}).length > 3", "uppercase(name) IN {'A', 'B'}", "CAST(friend.year, 'NSString') LIKE '1*'",
        "CAST(friend, 'NSManagedObjectID').year == 3", "friend == CAST(name, 'NSManagedObjectID')",
        "-friend.year + 3 ** 2 BETWEEN {1, friend.year}", "count(witnesses) > 3", "now() > friend.year",
        "TRUEPREDICATE AND NOT FALSEPREDICATE", "sum({1, 2}) == 3", "ANY witnesses.year IN {1, 2}",
    ])
    func `conditions on allowed names are accepted`(format: String) throws {
        try Condition<Dossier>.received(format).check(against: .dossiers)
    }

    @Test func `an object may be compared with an id`() throws {
        let store = try PersistentContainer(for: Dossier.self, at: .tested)
        let id = try store.perform { try $0.insert(Dossier(name: "a")) }
        let condition = Dossier.all.where { $0 == id && $0.friend != nil }.condition
        try #require(condition).check(against: .dossiers)
    }

    @Test func `the length of an object is not an attribute of that name`() throws {
        let store = try PersistentContainer(for: Dossier.self, at: .tested)
        try store.perform { try $0.insert(Dossier(name: "abc", length: 7)).friend = $0.insert(Witness(name: "F")) }
        for format in ["length(SELF) == 7", "length(friend) == 7", "length(pin) == 7"] {
            let condition = Condition<Dossier>(format: format)
            #expect(throws: StoreError.self) { try store.perform { try $0.count(of: Dossier.all.where(condition)) } }
            #expect(throws: StoreError.self) {
                try store.perform { try $0.fetch(Dossier.all).filtered(by: condition).count }
            }
        }
        let largest = Condition<Dossier>(format: "length(witnesses.@max.name) == 2")
        try store.perform { context in
            let dossier = try #require(try context.fetchOne(Dossier.all))
            for name in ["aaaa", "bb"] { try dossier.witnesses.add(try context.insert(Witness(name: name))) }
        }
        #expect(try store.perform { try $0.count(of: Dossier.all.where(largest)) } == 1)
        #expect(try store.perform { try $0.fetch(Dossier.all).filtered(by: largest).count } == 1)
    }

    @Test func `a condition that says its parts twice does not grow without bound`() throws {
        var value = "friend.year"
        for _ in 0..<40 { value = "TERNARY(\(value) IN {nil, 1}, 1, 2)" }
        let condition = try Condition<Dossier>.received("\(value) == 1")
        try condition.check(against: .dossiers)
        let store = try PersistentContainer(for: Dossier.self, at: .tested)
        let error = storeError { try store.perform { try $0.count(of: Dossier.all.where(condition)) } }
        #expect(error?.description.contains("nested too deeply") == true, "\(String(describing: error))")
    }

    @Test func `a list that names a property that is not a relation allows nothing`() throws {
        let wrong = ConditionAllowList().allowing(Dossier.self, relations: \.friend, \.title)
        let error = storeError { try Condition<Dossier>(format: "friend == nil").check(against: wrong) }
        #expect(error?.code == .unknownKeyPath && error?.message.contains("title") == true)
    }

    @Test(arguments: [
        ("ANY cases.witnesses.year > 3", 2), ("ANY cases.witnesses.cases.name == 'x'", 3),
        ("SUBQUERY(cases, $c, ANY $c.witnesses.year > 3).@count > 1", 2),
        ("SUBQUERY(cases, $a, ALL cases.name == SUBQUERY(cases, $c, TRUEPREDICATE).@count).@count > 1", 3),
        ("SUBQUERY({1, 2}, $a, SUBQUERY({1, 2}, $b, $a == $b).@count > 1).@count > 1", 2),
        ("ANY cases.name == TERNARY(ANY cases.name == 'a', 'a', 'b')", 2), ("cases.@count > cases.@count", 1),
        ("ANY cases.witnesses == dossier.witnesses[FIRST]", 3), ("cases.@max.witnesses.@count > 1", 2),
        ("dossier.witnesses.@max.year > dossier.witnesses.@min.year", 1), ("year > 3", 0),
        ("ANY {1, 2} == SUBQUERY(cases, $c, ANY $c.witnesses.year == 3).@count", 3),
        ("SUBQUERY(SUBQUERY(cases, $c, name == 'a'), $c, name == 'b').@count > 1", 1),
        ("dossier IN cases OR ANY cases.name == 'a' AND cases.@count > 3", 1),
    ])
    func `loops in loops have a limit`(format: String, nesting: Int) throws {
        var allowed = ConditionAllowList().allowing(Witness.self, \.year, \.name)
            .allowing(Witness.self, relations: \.cases, \.dossier).allowing(Dossier.self, \.name)
            .allowing(Dossier.self, relations: \.witnesses)
        let condition = Condition<Witness>(format: format)
        #expect((storeError { try condition.check(against: allowed) } == nil) == (nesting <= 2))
        allowed.maximumNesting = nesting
        try condition.check(against: allowed)
        allowed.maximumNesting = nesting - 1
        let error = storeError { try condition.check(against: allowed) }
        #expect(error?.code == .conditionNotAllowed)
        #expect(error?.message.contains("nests \(nesting) collections") == true || nesting == 0)
    }
}
