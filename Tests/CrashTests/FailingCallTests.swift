import Foundation
@testable import OpenCoreData
@testable import SwormStore
import Sworm
import SwormSQLite
import TestSupport
import Testing

/// Calls to the disk that fail, one after the other: those of SQLite and our own.
@Suite("Failing calls to the disk")
struct FailingCallTests {
    /// What is done while a call fails.
    enum Work: CaseIterable, Sendable {
        case save, bulkWrite, migration, stagedMigration, backup, checkpoint, removal
    }

    /// A way to fail.
    enum Way: CaseIterable, Sendable {
        case ioError, fullDisk, failingFromThenOn
    }

    private static let isLong = ProcessInfo.processInfo.environment["SWORM_CRASH_STATES"] != nil

    @Test(arguments: Work.allCases, [CrashStore.Journal.wal, .delete])
    func `whatever call fails, there is an error or success, and the store is as before or after`(
        _ work: Work, _ journal: CrashStore.Journal
    ) throws {
        let trial = try FailingTrial(work, CrashStore(journal: journal, synchronous: .full))
        var number = 1
        var isDone = false
        var errors = 0
        while !isDone {
            let ways = Self.isLong || number % 8 == 0 ? Way.allCases : [Way.allCases[number % 3]]
            for way in ways {
                let result = try trial.run(failing: number, way)
                isDone = isDone || !result.hasFailed
                if result.error != nil { errors += 1 }
                for issue in result.issues { Issue.record("call \(number), \(way): \(issue)") }
            }
            number += 1
            try #require(number < 3000)
        }
        #expect(errors > 0)
        print("Failing calls: \(work), \(journal): \(number - 2) calls, \(errors) errors")
    }
}

/// Runs some work on a fresh store again and again.
private struct FailingTrial {
    struct Result {
        /// Whether there were calls enough for one to fail.
        var hasFailed: Bool
        var error: (any Error)?
        var issues: [String] = []
    }

    private let work: FailingCallTests.Work
    private let store: CrashStore
    private let template: ScratchFolder
    private let before: CrashContent
    private let key: Int

    init(_ work: FailingCallTests.Work, _ store: CrashStore) throws {
        self.work = work
        self.store = store
        let source = try CrashWorkload(store, seed: 3)
        for _ in 0..<2 { try source.saveObjects() }
        for _ in 0..<3 { try source.changePayload() }
        if work == .backup { try source.backup() }
        try source.saveObjects()
        try source.close()
        (template, before) = (source.folder, source.content)
        key = before.items.first { $0.value.payload != nil }?.key ?? 1
    }

    private var after: (content: CrashContent, model: CrashModel) {
        var content = before
        switch work {
        case .save:
            content.items[key]?.payload = CrashContent.payload(400)
            content.items[key]?.group = 77
            content.groups.insert(77)
        case .bulkWrite:
            for key in content.items.keys { content.items[key]?.number = 12 }
            content.items[900] = .init(text: "new", number: 5, payload: CrashContent.payload(401))
        case .migration:
            for key in content.items.keys { content.items[key]?.payload = nil }
            return (content, .withoutFiles)
        case .stagedMigration:
            content.items[key]?.payload = CrashContent.payload(402)
            return (content, .withOtherFiles)
        case .backup: break
        case .checkpoint: content.items[key]?.number = 13
        case .removal: content.items[key]?.payload = nil
        }
        return (content, .first)
    }

    func run(failing number: Int, _ way: FailingCallTests.Way) throws -> Result {
        let folder = try ScratchFolder()
        for name in try FileManager.default.contentsOfDirectory(atPath: template.url.path) {
            try FileManager.default.copyItem(at: template.url(name), to: folder.url(name))
        }
        let recorder = try DiskRecorder(folder.url)
        let url = folder.url("Store.sqlite")
        func fail() {
            recorder.fail(number, by: way == .fullDisk ? .fullDisk : .ioError, lasts: way == .failingFromThenOn)
        }
        var result = Result(hasFailed: true)
        do {
            switch work {
            case .migration, .stagedMigration:
                let payload = CrashContent.payload(402)
                let stages = CrashStore.stages { [key] item in
                    if item.value(forKey: "key") as? Int == key { item.setValue(payload, forKey: "payload") }
                }
                fail()
                let coordinator = try store.coordinator(
                    at: url, after.model, disk: recorder.disk, stages: work == .migration ? nil : stages)
                recorder.finishFailing()
                try CrashStore.close(coordinator)
            default:
                let coordinator = try store.coordinator(at: url, .first, disk: recorder.disk)
                defer {
                    recorder.finishFailing()
                    try? CrashStore.close(coordinator)
                }
                fail()
                try write(CrashStore.container(coordinator), folder)
            }
        } catch {
            result.error = error
        }
        recorder.finishFailing()
        result.hasFailed = recorder.failedCalls > 0
        try check(&result, folder)
        return result
    }

    private func write(_ container: PersistentContainer, _ folder: ScratchFolder) throws {
        switch work {
        case .save:
            try container.perform { context in
                guard let item = try context.fetchOne(CrashItem.all.where { $0.key == key }) else { return }
                try item.encode(\.payload, CrashContent.payload(400))
                try context.insert(CrashGroup(key: 77)).items.add(item)
            }
        case .bulkWrite:
            try container.write { context in
                _ = try context.update(CrashItem.all, set: (\.number, 12))
                let new = CrashItem(key: 900, text: "new", number: 5, payload: CrashContent.payload(401))
                _ = try context.insert(contentsOf: [new])
            }
        case .backup: try container.backup(to: folder.url("Backup.sqlite"))
        case .checkpoint:
            try container.perform { context in
                _ = try context.update(CrashItem.all.where { $0.key == key }, set: (\.number, 13))
            }
            try container.checkpoint()
        case .removal:
            try container.perform { context in
                try context.fetchOne(CrashItem.all.where { $0.key == key })?.encode(\.payload, nil)
            }
            try container.checkpoint()
        case .migration, .stagedMigration: break
        }
    }

    // MARK: Checks

    private func check(_ result: inout Result, _ folder: ScratchFolder) throws {
        if let error = result.error {
            let native = error as NSError
            if native.code == 0 || native.localizedDescription.count < 20
                || !(error is StoreError || error.asCoreData != nil)
            {
                result.issues.append("no clear error: \(type(of: error)) \(native.localizedDescription)")
            }
        }
        let url = folder.url("Store.sqlite")
        let after = after
        do {
            let model = try CrashModel(of: url) ?? .first
            let coordinator = try store.coordinator(at: url, model)
            let content = try CrashContent(coordinator)
            try CrashStore.close(coordinator)
            let isBefore = model == .first && content == before
            let isAfter = model == after.model && content == after.content
            let hasEnded = result.error == nil && !isAfter
            if hasEnded || !isBefore && !isAfter {
                result.issues.append("after \(result.error.map { "\($0)" } ?? "success") it has \(content.summary)")
            }
            let issues = try StoreVerification.issues(of: url, model: model.model.compiled())
            if !issues.isEmpty { result.issues.append("not sound: \(issues)") }
            result.issues += try remains(folder, model, content)
            if work == .backup { result.issues += try backupIssues(folder, result.error) }
        } catch {
            result.issues.append("after \(result.error.map { "\($0)" } ?? "success"): \(error)")
        }
    }

    /// What later openings do not remove.
    private func remains(_ folder: ScratchFolder, _ model: CrashModel, _ content: CrashContent) throws -> [String] {
        var options = StoreOptions()
        options.journalMode = store.journal == .wal ? .wal : .delete
        options.externalData.minimumAge = -60
        for _ in 0..<2 {
            let store = try SQLiteStore.open(
                url: folder.url("Store.sqlite"), model: model.model.compiled(), options: options)
            // SQLite removes a journal that says nothing with the next one.
            try store.setMetadata(["time": UUID().uuidString])
            try store.save(SaveRequest())
            store.close()
        }
        let support = ".Store_SUPPORT"
        let known: Set = ["Store.sqlite", support, support + "/_EXTERNAL_DATA", support + "/_SEARCH"]
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.url.path)
            .filter { !known.contains($0) && !$0.hasPrefix("Backup.sqlite") && !$0.hasPrefix(".Backup") }
            .filter { name in
                // An empty log means nothing to SQLite, which uses it for the next one.
                !name.hasSuffix("-wal") || FileStamp(path: folder.url(name).path)?.size != 0
            }
        let files = names.count { $0.hasPrefix(support + "/_EXTERNAL_DATA/") }
        var issues = files == names.count ? [] : ["left over: \(names.sorted())"]
        let named = content.items.values.count { $0.payload != nil }
        if files != named { issues.append("there are \(files) files for \(named) values") }
        return issues
    }

    private func backupIssues(_ folder: ScratchFolder, _ error: (any Error)?) throws -> [String] {
        let url = folder.url("Backup.sqlite")
        func content() throws -> CrashContent {
            let coordinator = try store.coordinator(at: url, .first)
            defer { try? CrashStore.close(coordinator) }
            return try CrashContent(coordinator)
        }
        var issues: [String] = []
        if error == nil, try content() != before { issues.append("the backup is not that of the store") }
        _ = try content()
        issues += try StoreVerification.issues(of: url, model: CrashModel.first.model.compiled())
        // The next one removes what is left of one that failed.
        let coordinator = try store.coordinator(at: folder.url("Store.sqlite"), .first)
        try CrashStore.container(coordinator).backup(to: url)
        try CrashStore.close(coordinator)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter {
            $0.hasPrefix(".Backup.sqlite")
        }
        if !left.isEmpty { issues.append("left over: \(left)") }
        return issues
    }
}
