/// The record of the store itself and of the stores whose bundles it has applied.
struct LedgerState: Codable {
    /// The identifiers of the origins; the first one is that of the store itself.
    var origins: [String]
    /// The position in the history up to which changes are in the records.
    var token: ChangeToken
    /// The number of the store's last own transaction.
    var number: Int64 = 0
    /// The latest time of a known transaction.
    var clock: Int64 = 0
    /// The numbers up to which bundles were applied, by origin.
    var applied: [Int: Int64] = [:]
}
