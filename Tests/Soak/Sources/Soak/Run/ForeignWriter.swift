import Foundation

/// Another program that writes into the store: short transactions on a plain connection, until the parent speaks.
///
/// Prints how many plays it has added.
func writeFromElsewhere(_ arguments: Arguments) throws {
    try arguments.allow("store", "rows", "seed", "holds")
    let path = try arguments.requiredText("store")
    let rows = try arguments.number("rows", or: 1)
    var random = SteadyRandom(state: try arguments.seed())
    let holder = try arguments.text("holds") == "yes" ? PlainConnection(path) : nil
    // A snapshot that is never given up. Planted.
    _ = try holder?.run("BEGIN")
    _ = try holder?.run("SELECT COUNT(*) FROM ZTRACK")
    let connection = try PlainConnection(path)
    var plays = 0
    var longest = 0.0
    say("ready")
    while !ParentProcess.hasSpoken {
        let count = random.pick(10) + 1
        let start = ContinuousClock.now
        try connection.run("BEGIN IMMEDIATE")
        longest = max(longest, (ContinuousClock.now - start).milliseconds)
        for _ in 0..<count {
            let number = (random.pick(rows) + 1) * 3
            try connection.run("UPDATE ZTRACK SET ZPLAYS = ZPLAYS + 1, Z_OPT = Z_OPT + 1 WHERE ZNUMBER = \(number)")
        }
        try connection.run("COMMIT")
        plays += count
        usleep(UInt32(random.pick(30_000)))
    }
    say("\(plays) \(longest)")
}
