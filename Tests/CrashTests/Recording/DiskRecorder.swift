import CrashDisk
import Foundation
@testable import OpenCoreData
@testable import SwormStore

/// A disk that records what is changed below a folder, both by SQLite and by our own calls, in one order; and that can let a
/// call fail.
///
/// @unchecked: everything that changes is touched while the lock is held.
final class DiskRecorder: @unchecked Sendable {
    /// What a call that fails reports.
    enum Failure: CaseIterable, Sendable { case ioError, fullDisk }

    /// The folder, links followed.
    let root: String
    private let lock = NSLock()
    private var record = CrashRecord()
    /// The existing files, by their paths.
    private var files: [String: Int] = [:]
    private var lastFile = 0
    private var moment = CrashMoment()
    private let name = "crash-\(UUID().uuidString)"
    private var handle: UnsafeMutableRawPointer?

    private var calls = 0
    private var failures = 0
    private var failing: (call: Int, failure: Failure, lasts: Bool)?

    /// - Parameter root: A folder. All that is in it counts as being on the disk.
    init(_ root: URL) throws {
        self.root = realpath(root.path) ?? root.path
        try addInitial("")
        let observer = crash_disk_observer(
            context: Unmanaged.passUnretained(self).toOpaque(),
            before: { context, call in
                guard let context, let call else { return 0 }
                return Unmanaged<DiskRecorder>.fromOpaque(context).takeUnretainedValue().before(call.pointee)
            },
            after: { context, call in
                guard let context, let call else { return 0 }
                return Unmanaged<DiskRecorder>.fromOpaque(context).takeUnretainedValue().after(call.pointee)
            })
        handle = crash_disk_register(name, observer)
        guard handle != nil else { throw CocoaError(.featureUnsupported) }
    }

    deinit { crash_disk_unregister(handle) }

    /// The disk for the options of a store.
    var disk: StoreDisk { StoreDisk(calls: RecordingFileCalls(self), fileSystem: name) }

    private func addInitial(_ folder: String) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: root + "/" + folder) {
            let path = folder.isEmpty ? name : folder + "/" + name
            let full = root + "/" + path
            if let target = try? FileManager.default.destinationOfSymbolicLink(atPath: full) {
                record.initial[path] = .link(local(target) ?? target)
            } else if FileKind(path: full) == .folder {
                record.initial[path] = .folder
                try addInitial(path)
            } else if !name.hasSuffix("-shm") {
                lastFile += 1
                record.initial[path] = .file(lastFile)
                record.initialContent[lastFile] = [UInt8](try Data(contentsOf: URL(fileURLWithPath: full)))
                files[path] = lastFile
            }
        }
    }

    // MARK: Recording

    /// The record up to now.
    var result: CrashRecord { lock.withLock { record } }

    /// Takes note of how far the workload has come.
    func note(_ change: (inout CrashMoment) -> Void) {
        lock.withLock {
            change(&moment)
            record.changes.append(.note(moment))
        }
    }

    /// A path from the folder on; nil for one elsewhere. Links in it are followed, except the last name.
    private func local(_ path: String) -> String? {
        let name = (path as NSString).lastPathComponent
        guard let folder = realpath((path as NSString).deletingLastPathComponent) else { return nil }
        if folder == root { return name }
        return folder.hasPrefix(root + "/") ? String(folder.dropFirst(root.count + 1)) + "/" + name : nil
    }

    private func makeFile(_ path: String) -> Int {
        lastFile += 1
        files[path] = lastFile
        record.changes.append(.makeFile(path: path, file: lastFile))
        return lastFile
    }

    private func synchronize(folder: String) {
        guard folder == root || folder.hasPrefix(root + "/") else { return }
        record.changes.append(.synchronizeFolder(path: String(folder.dropFirst(root.count + 1))))
    }

    // MARK: SQLite's calls

    private func before(_ call: crash_disk_call) -> Int32 {
        guard let failure = fails() else { return 0 }
        // The codes of SQLite.
        let (ioError, full, cannotOpen): (Int32, Int32, Int32) = (10, 13, 14)
        return switch (Int(call.kind), failure) {
        case (0, _): cannotOpen
        case (1, .fullDisk): full
        case (1, .ioError): ioError | 3 << 8
        case (2, _): ioError | 6 << 8
        case (3, _): ioError | 4 << 8
        default: ioError | 10 << 8
        }
    }

    private func after(_ call: crash_disk_call) -> Int64 {
        guard let pointer = call.path, let path = local(String(cString: pointer)) else { return 0 }
        return lock.withLock {
            let file = Int(call.file)
            switch Int(call.kind) {
            case 0: return Int64(call.created != 0 ? makeFile(path) : files[path] ?? 0)
            case 1:
                let bytes = [UInt8](UnsafeRawBufferPointer(start: call.bytes, count: Int(call.count)))
                record.changes.append(.write(file: file, offset: Int(call.offset), bytes: bytes))
            case 2: record.changes.append(.truncate(file: file, size: Int(call.offset)))
            case 3: record.changes.append(.synchronize(file: file))
            case 4:
                files[path] = nil
                record.changes.append(.removeFile(path: path))
            default: record.changes.append(.synchronizeFolder(path: CrashRecord.folder(of: path)))
            }
            return 0
        }
    }

    // MARK: Failing

    /// Lets a call fail, counted from now on; nil for none.
    ///
    /// - Parameter lasts: Whether all that follow fail as well.
    func fail(_ call: Int?, by failure: Failure = .ioError, lasts: Bool = false) {
        lock.withLock {
            calls = 0
            failures = 0
            failing = call.map { ($0, failure, lasts) }
        }
    }

    /// Lets all calls succeed again.
    func finishFailing() { lock.withLock { failing = nil } }

    /// The calls that failed.
    var failedCalls: Int { lock.withLock { failures } }

    /// Counts a call.
    func fails() -> Failure? {
        lock.withLock {
            calls += 1
            guard let failing, calls == failing.call || failing.lasts && calls > failing.call else { return nil }
            failures += 1
            return failing.failure
        }
    }

    // MARK: Our own calls

    /// Takes note of a call of our own that has succeeded.
    func add(_ change: OwnChange) {
        lock.withLock {
            switch change {
            case .file(let path, let content):
                guard let path = local(path) else { return }
                let file = makeFile(path)
                if let content { record.changes.append(.write(file: file, offset: 0, bytes: [UInt8](content))) }
            case .write(let path, let data):
                guard let file = local(path).flatMap({ files[$0] }) else { return }
                record.changes.append(.write(file: file, offset: 0, bytes: [UInt8](data)))
            case .truncate(let path, let size):
                guard let file = local(path).flatMap({ files[$0] }) else { return }
                record.changes.append(.truncate(file: file, size: size))
            case .synchronize(let path):
                if let file = local(path).flatMap({ files[$0] }) {
                    record.changes.append(.synchronize(file: file))
                } else if let folder = realpath(path) {
                    synchronize(folder: folder)
                }
            case .link(let path, let newPath):
                guard let file = local(path).flatMap({ files[$0] }), let newPath = local(newPath) else { return }
                files[newPath] = file
                record.changes.append(.link(file: file, path: newPath))
            case .makeLink(let path, let target):
                guard let path = local(path) else { return }
                record.changes.append(.makeLink(path: path, target: local(target) ?? target))
            case .remove(let path):
                files[path] = nil
                record.changes.append(.removeFile(path: path))
            case .makeFolder(let path):
                if let path = local(path) { record.changes.append(.makeFolder(path: path)) }
            case .removeFolder(let path):
                if let path = local(path) { record.changes.append(.removeFolder(path: path)) }
            case .rename(let path, let newPath):
                guard let newPath = local(newPath) else { return }
                for (old, file) in files where old == path || old.hasPrefix(path + "/") {
                    files[old] = nil
                    files[newPath + old.dropFirst(path.count)] = file
                }
                record.changes.append(.rename(from: path, to: newPath))
            }
        }
    }

    /// A path relative to the folder, for a call that will change the file or folder.
    func localPath(_ path: String) -> String? { local(path) }

    /// A call of our own.
    enum OwnChange {
        case file(String, content: Data?)
        case write(String, Data)
        case truncate(String, Int)
        case synchronize(String)
        case link(String, String)
        case makeLink(String, String)
        case makeFolder(String)
        case removeFolder(String)
        /// The path is one from the folder on.
        case remove(String)
        /// The first path is one from the folder on.
        case rename(String, String)
    }
}

/// A path without links; nil where there is nothing.
func realpath(_ path: String) -> String? {
    guard let pointer = Foundation.realpath(path.isEmpty ? "." : path, nil) else { return nil }
    defer { free(pointer) }
    return String(cString: pointer)
}
