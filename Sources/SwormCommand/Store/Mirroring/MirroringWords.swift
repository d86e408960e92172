import SwormStore

/// The words for the state of a mirroring. Facts that the file does not show are `unknown`.
enum MirroringWords {
    static let unknown = "unknown"

    static func count(_ number: Int64?) -> String { number.map { "\($0)" } ?? unknown }

    /// Returns a number with its noun.
    static func count(_ number: Int64?, of noun: String) -> String {
        "\(count(number)) \(noun)\(number == 1 ? "" : "s")"
    }

    static func date(_ seconds: Double?) -> String { seconds.map(DateText.whole) ?? unknown }

    static func form(_ form: MirroringReport.Form?) -> String {
        switch form {
        case .assetTables?: "records in tables of their own"
        case .assetColumns?: "records in columns"
        case nil: "columns of an unknown form"
        }
    }

    static func account(_ report: MirroringReport) -> String {
        switch report.hasAccount {
        case true?: "there has been one"
        case false?: "none so far"
        case nil: unknown
        }
    }

    static func export(_ history: MirroringReport.History) -> String {
        switch history.export {
        case .nothing: return "nothing so far"
        case .unknown: return unknown
        case .transactions(let number):
            guard history.isContinuous == false else { return "up to transaction \(number)" }
            return "up to transaction \(number); the history does not continue from there, so the mirroring begins anew"
        }
    }

    static func waiting(_ waiting: MirroringReport.Waiting) -> [String] {
        [
            count(waiting.total),
            "\(count(waiting.uploads, of: "record")), of which \(count(waiting.deletions, of: "deletion"))",
            count(waiting.relationships, of: "relationship"), count(waiting.shares, of: "share"),
            count(waiting.movedRecords, of: "moved record"),
        ]
    }

    /// Returns the words for what was deleted and uploaded; nil if there is nothing. Without a known number, nothing is said
    /// about the next export.
    static func finished(_ finished: MirroringReport.Finished) -> String? {
        let counts = [finished.records, finished.relationships]
        guard counts.contains(where: { $0 ?? 0 > 0 }) else { return counts.contains(nil) ? unknown : nil }
        let parts = [count(finished.records, of: "record"), count(finished.relationships, of: "relationship")]
        return "\(parts.joined(separator: " and ")) that the next export clears away"
    }

    /// Returns the conclusion about the file.
    static func conclusion(_ report: MirroringReport) -> String {
        switch report.isDone {
        case true?: "Nothing waits here."
        case false?: "Changes wait here."
        case nil: "It is unknown whether something waits here\(gap(in: report.history))."
        }
    }

    /// Returns the reason for which a history does not show what waits; empty if it does, or if it is unknown what was
    /// exported.
    private static func gap(in history: MirroringReport.History) -> String {
        guard case .transactions = history.export else { return "" }
        switch history.isContinuous {
        case true?: return ""
        case false?: return ": the history does not continue from the last exported transaction"
        case nil: return ": transactions after the last exported one may be missing from the history"
        }
    }

    /// The limits of every conclusion.
    static let limits =
        "This is the state of this file. The state of the server, of other devices, and whether the server is that of "
        + "development or production, are unknown."

    // MARK: Events

    static func kind(_ event: MirroringReport.Event) -> String {
        switch event.kind {
        case .setup?: "setup"
        case .import?: "import"
        case .export?: "export"
        case nil: unknown
        }
    }

    static func result(_ event: MirroringReport.Event) -> String {
        switch event.succeeded {
        case true?: "succeeded"
        case false?: "failed"
        case nil: event.isUnfinished ? "not finished" : unknown
        }
    }

    /// Returns the words for an event that failed, with its error.
    static func failure(_ event: MirroringReport.Event) -> String {
        let reason = error(event).map { ": \($0)" } ?? ", for an unknown reason"
        return "\(date(event.start)) \(kind(event)) failed\(reason)"
    }

    /// Returns the meaning of an event's error with its code; nil for an event without an error.
    static func error(_ event: MirroringReport.Event) -> String? {
        guard let domain = event.errorDomain else { return nil }
        let name = "\(domain) \(count(event.errorCode))"
        let words = event.errorCode.flatMap { MirroringEventError.words(domain: domain, code: $0) }
        return "\(words ?? "an unknown error") (\(name))"
    }

    // MARK: Zones

    static func owner(_ zone: MirroringReport.Zone) -> String {
        switch zone.isUsers {
        case true?: "this account"
        case false?: "another account"
        case nil: unknown
        }
    }

    static func database(_ zone: MirroringReport.Zone) -> String {
        switch zone.scope {
        case 1?: "public"
        case 2?: "private"
        case 3?: "shared"
        default: unknown
        }
    }

    static func lastFetch(_ zone: MirroringReport.Zone) -> String {
        zone.lastFetch == nil && zone.hasChangeToken == false ? "never" : date(zone.lastFetch)
    }

    static func need(_ need: MirroringReport.Zone.Need) -> String {
        switch need {
        case .import: "import"
        case .shareUpdate: "update of the share"
        case .shareDeletion: "deletion of the share"
        case .shareInvitation: "new invitation"
        case .identityLoss: "recovery from a lost identity"
        case .userPurge: "recovery from a deletion by the user"
        case .zoneDeletion: "recovery from a deleted zone"
        }
    }
}
