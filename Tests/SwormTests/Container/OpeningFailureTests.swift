#if !canImport(CoreData)
import Foundation
import Sworm
import SwormSQLite
import Testing

@Suite("Why a store does not open")
struct OpeningFailureTests {
    private func failure(_ url: URL, isReadOnly: Bool = false) -> (reason: StoreOpeningFailure?, message: String) {
        do {
            _ = try PersistentContainer(
                for: Dossier.self, at: isReadOnly ? .readOnly(url) : .file(url), timeout: 0.2)
            return (nil, "opened")
        } catch {
            return ((error as? StoreError)?.openingFailure, "\(error)")
        }
    }

    private func folder() throws -> URL {
        let url = URL(fileURLWithPath: NSTemporaryDirectory() + "opening-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        return url
    }

    private func made(in folder: URL) throws -> URL {
        let url = folder.appendingPathComponent("Store.sqlite")
        let store = try PersistentContainer(for: Dossier.self, at: .file(url))
        try store.perform { for number in 0..<300 { try $0.insert(Dossier(name: "name \(number)")) } }
        try store.close()
        return url
    }

    @Test func `a file that is damaged, none, missing or of another model has its reason`() throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = try made(in: folder)
        let missing = failure(folder.appendingPathComponent("nothing.sqlite"), isReadOnly: true)
        #expect(missing.reason == .missing, "\(missing)")
        try Data("a letter, and no store at all".utf8).write(to: folder.appendingPathComponent("letter"))
        #expect(failure(folder.appendingPathComponent("letter")).reason == .notAStore)
        #expect(failure(folder).reason == .notAStore)
        try Connection(.file(path: folder.path + "/other.sqlite"), options: .init()).execute("CREATE TABLE a (b)")
        let other = failure(folder.appendingPathComponent("other.sqlite"))
        #expect(other.reason == .notAStore, "\(other)")
        try Data().write(to: folder.appendingPathComponent("empty"))
        #expect(failure(folder.appendingPathComponent("empty"), isReadOnly: true).reason == .notAStore)
        do {
            _ = try PersistentContainer(for: Mirror.self, at: .file(url))
            Issue.record("a store of another model opened")
        } catch {
            #expect((error as? StoreError)?.openingFailure == .needsMigration, "\(error)")
        }
        let handle = try FileHandle(forWritingTo: url)
        try handle.seek(toOffset: 100)
        try handle.write(contentsOf: Data(repeating: 0x5A, count: 3000))
        try handle.close()
        let damaged = failure(url)
        #expect(damaged.reason == .damaged, "\(damaged)")
    }

    @Test func `a locked store has its reason`() throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = try made(in: folder)
        let connection = try Connection(.file(path: url.path), options: .init(isExclusive: true))
        try connection.begin(.exclusive)
        let locked = failure(url)
        #expect(locked.reason == .locked, "\(locked)")
        try connection.rollback()
    }
}
#endif
