import Foundation
@testable import OpenCoreData
import TestSupport

/// Looks whether a store after a crash is one that there may be.
struct CrashChecker: Sendable {
    private let run: CrashRun
    let history: CrashHistory
    private let seed: UInt64
    /// Whether a store must exist at any time.
    private let existedBefore: Bool
    private let hasVersions: Bool

    init(_ run: CrashRun, seed: UInt64) {
        self.run = run
        self.seed = seed
        history = CrashHistory(run.record)
        existedBefore = run.record.initial["Store.sqlite"] != nil
        hasVersions = run.milestones.contains { $0.model != .first }
    }

    /// What is wrong with a state, with all that is needed to make it again; nil where nothing is.
    func issue(of number: Int, in scratch: URL) -> String? {
        issue(of: history.state(number, seed: seed), number, in: scratch)
    }

    /// What is wrong with what a process has left that was killed after so many changes.
    func issueOfKilled(at number: Int, in scratch: URL) -> String? {
        issue(of: history.stateOfKilled(at: number), number, in: scratch)
    }

    private func issue(of state: CrashState, _ number: Int, in scratch: URL) -> String? {
        let folder = scratch.appendingPathComponent("\(number)")
        defer { try? FileManager.default.removeItem(at: folder) }
        do {
            try state.make(in: folder)
            guard let issue = try storeIssue(state, number, folder) ?? backupIssue(state, folder) else { return nil }
            return describe(issue, number, state)
        } catch {
            return describe("\(error)", number, state)
        }
    }

    private func describe(_ issue: String, _ number: Int, _ state: CrashState) -> String {
        "\(run.name): state \(number) of seed \(seed) (change \(state.cut), names \(state.names), \(state.moment)): \(issue)"
    }

    // MARK: Stores

    private func storeIssue(_ state: CrashState, _ number: Int, _ folder: URL) throws -> String? {
        let url = folder.appendingPathComponent("Store.sqlite")
        if existedBefore, FileKind(path: url.path) == nil { return "there is no store" }
        var model = CrashModel.first
        if hasVersions {
            guard let found = try CrashModel(of: url) else { return "the store is of no known version" }
            model = found
        }
        let content = try self.content(of: url, model)
        let allowed = state.moment.lasting...state.moment.begun
        let found = allowed.last { run.milestones[$0].model == model && run.milestones[$0].content == content }
        guard let found else {
            let other = run.milestones.lastIndex { $0.content == content && $0.model == model }
            return "its content is "
                + (other.map { "that of \($0), and not of \(allowed)" } ?? "of no state: \(content.summary)")
        }
        if let issue = try issueOfFiles(url, model) { return issue }
        if existedBefore, try hasRemains(folder) { return "an interrupted replacement has left something" }
        // The work that was interrupted can be done again.
        guard hasVersions, found == 0, number % 8 == 0 else { return nil }
        let last = run.milestones[1]
        guard last.model == .withoutFiles else { return nil }
        guard try self.content(of: url, last.model) == last.content else { return "the second migration was wrong" }
        return try issueOfFiles(url, last.model)
    }

    private func backupIssue(_ state: CrashState, _ folder: URL) throws -> String? {
        let url = folder.appendingPathComponent("Backup.sqlite")
        let allowed = state.moment.backups
        guard FileKind(path: url.path) != nil else {
            return allowed.contains(nil) ? nil : "there is no backup, and there was one of \(allowed)"
        }
        let content = try self.content(of: url, .first)
        guard allowed.contains(where: { $0.map { run.milestones[$0].content == content } ?? false }) else {
            return "the backup is not of \(allowed): \(content.summary)"
        }
        return try issueOfFiles(url, .first).map { "the backup: \($0)" }
    }

    private func content(of url: URL, _ model: CrashModel) throws -> CrashContent {
        let coordinator = try run.store.coordinator(at: url, model)
        let content = try CrashContent(coordinator)
        try CrashStore.close(coordinator)
        return content
    }

    private func issueOfFiles(_ url: URL, _ model: CrashModel) throws -> String? {
        // Reading a file that was just written waits until its modification time is in the past.
        for end in ["", "-wal", "-journal"] { makeOld(url.path + end) }
        let issues = try StoreVerification.issues(of: url, model: model.model.compiled())
        return issues.isEmpty ? nil : "it is not sound: \(issues)"
    }

    private func hasRemains(_ folder: URL) throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).contains {
            $0.hasPrefix(".Store.sqlite.migrating")
        }
    }
}

extension CrashState {
    /// Makes a folder with this state.
    func make(in folder: URL) throws {
        guard mkdir(folder.path, 0o777) == 0 else { throw CocoaError(.fileWriteUnknown) }
        for (name, content) in entries {
            let path = folder.path + "/" + name
            switch content {
            case .folder: guard mkdir(path, 0o777) == 0 else { throw CocoaError(.fileWriteUnknown) }
            case .link(let target):
                guard symlink(target.hasPrefix("/") ? target : folder.path + "/" + target, path) == 0 else {
                    throw CocoaError(.fileWriteUnknown)
                }
            case .file(let bytes, _):
                let file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o666)
                guard file >= 0 else { throw CocoaError(.fileWriteUnknown) }
                defer { close(file) }
                guard bytes.withUnsafeBytes({ pwrite(file, $0.baseAddress, $0.count, 0) }) == bytes.count else {
                    throw CocoaError(.fileWriteUnknown)
                }
                makeOld(path)
            }
        }
    }
}

extension CrashContent {
    var summary: String {
        let items = items.sorted { $0.key < $1.key }.map { key, item in
            "\(key):\(item.text.prefix(2))/\(item.number)/\(item.group ?? 0)/\(item.payload?.count ?? 0)"
        }
        return items.joined(separator: " ") + " groups \(groups.sorted())"
    }
}

/// Gives a file a time of modification that is past.
private func makeOld(_ path: String) {
    let times = [timeval(tv_sec: time(nil) - 60, tv_usec: 0), timeval(tv_sec: time(nil) - 60, tv_usec: 0)]
    _ = utimes(path, times)
}
