import Sworm

struct Account: Sendable {
    var number = 0
    var balance = 0
    /// The number of transfers that the account has taken part in. It shows an update that was lost as a whole, which leaves
    /// the sum as it is.
    var moves = 0

    static let count = 20
    static let initialBalance = 1000
}

extension Account: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Account>> = [
        .init(\.number, "number", .unique), .init(\.balance, "balance"), .init(\.moves, "moves"),
    ]
}

/// An amount that goes from one account to another.
struct Transfer: Sendable {
    var source: Int
    var target: Int
    var amount: Int

    init(_ random: inout SeededRandom) {
        source = random.pick(Account.count)
        target = (source + 1 + random.pick(Account.count - 1)) % Account.count
        amount = 1 + random.pick(50)
    }

    private var condition: Condition<Account> { \Account.number == source || \Account.number == target }

    var rows: Request<Account> { Account.all.where(condition) }

    /// Changes both accounts as objects.
    func make(in context: ManagedObjectContext) throws {
        let accounts = try context.fetch(rows)
        guard accounts.count == 2 else { throw Failure("\(accounts.count) accounts were found instead of 2") }
        for account in accounts {
            let sign = try account.decode(\.number) == source ? -1 : 1
            try account.encode(\.balance, account.decode(\.balance) + sign * amount)
            try account.encode(\.moves, account.decode(\.moves) + 1)
        }
    }

    /// Changes both accounts by bulk writes.
    func makeInBulk(in context: ManagedObjectContext) throws {
        for account in try context.decode(rows) {
            let sign = account.number == source ? -1 : 1
            let count = try context.update(
                Account.all.where(\.number == account.number), set: (\.balance, account.balance + sign * amount),
                (\.moves, account.moves + 1))
            guard count == 1 else { throw Failure("a bulk write has changed \(count) accounts instead of 1") }
        }
    }
}
