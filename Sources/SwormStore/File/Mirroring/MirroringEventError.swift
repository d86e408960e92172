/// The meanings of the errors that the mirroring records with its events.
package enum MirroringEventError {
    private static let cocoa: [Int64: String] = [
        134_301: "the history was deleted after the last export, so the mirroring begins anew",
        134_400: "there is no account that can be used",
        134_405: "another account has signed in",
        134_419: "a later export has taken over, which does no harm",
        134_421: "the import or the setup was put off",
    ]
    private static let cloudKit: [Int64: String] = [
        2: "some records were rejected", 3: "there was no network", 4: "the network failed",
        6: "the server limits the rate: too much was sent at once",
        7: "the server limits the rate: too much was sent at once",
        9: "nobody is signed in", 25: "the user's iCloud storage is full", 26: "the zone does not exist",
        28: "the user has deleted the zone",
    ]

    /// Returns the meaning of an error; nil for an unknown one.
    package static func words(domain: String, code: Int64) -> String? {
        switch domain {
        case "NSCocoaErrorDomain": cocoa[code]
        case "CKErrorDomain": cloudKit[code]
        default: nil
        }
    }
}
