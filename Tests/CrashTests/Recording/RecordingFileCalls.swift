import Foundation
@testable import OpenCoreData
@testable import SwormStore

/// The calls of the system, recorded; some may fail.
struct RecordingFileCalls: FileCalls {
    private let recorder: DiskRecorder
    private let system = SystemFileCalls()

    init(_ recorder: DiskRecorder) { self.recorder = recorder }

    private func check(_ action: String, _ path: String) throws {
        guard let failure = recorder.fails() else { return }
        throw CoreDataError(failing: action, path, number: failure == .fullDisk ? ENOSPC : EIO)
    }

    func createFile(_ path: String) throws {
        try check("made", path)
        try system.createFile(path)
        recorder.add(.file(path, content: nil))
    }

    func write(_ data: Data, to path: String) throws {
        try check("written", path)
        try system.write(data, to: path)
        recorder.add(.write(path, data))
    }

    func copyFile(_ path: String, to copy: String) throws {
        try check("copied", path)
        try system.copyFile(path, to: copy)
        recorder.add(.file(copy, content: try Data(contentsOf: URL(fileURLWithPath: copy))))
    }

    func truncate(_ path: String, to size: Int64) throws {
        try check("cut", path)
        try system.truncate(path, to: size)
        recorder.add(.truncate(path, Int(size)))
    }

    func synchronize(_ path: String) throws {
        try check("written to the disk", path)
        try system.synchronize(path)
        recorder.add(.synchronize(path))
    }

    func rename(_ path: String, to newPath: String) throws {
        try check("renamed", path)
        let old = recorder.localPath(path)
        try system.rename(path, to: newPath)
        if let old { recorder.add(.rename(old, newPath)) }
    }

    func removeFile(_ path: String) throws {
        try check("removed", path)
        let old = recorder.localPath(path)
        try system.removeFile(path)
        if let old { recorder.add(.remove(old)) }
    }

    func link(_ path: String, to newPath: String) throws {
        try check("linked", path)
        try system.link(path, to: newPath)
        recorder.add(.link(path, newPath))
    }

    func makeLink(_ path: String, to target: String) throws {
        try check("made", path)
        try system.makeLink(path, to: target)
        recorder.add(.makeLink(path, target))
    }

    func makeFolder(_ path: String, permissions: Int) throws {
        try check("made", path)
        try system.makeFolder(path, permissions: permissions)
        recorder.add(.makeFolder(path))
    }

    func removeFolder(_ path: String) throws {
        try check("removed", path)
        try system.removeFolder(path)
        recorder.add(.removeFolder(path))
    }

    func setPermissions(of path: String, _ permissions: Int) throws {
        try system.setPermissions(of: path, permissions)
    }

    func setOwner(of path: String, user: UInt32, group: UInt32) throws {
        try system.setOwner(of: path, user: user, group: group)
    }

    func makeOld(_ path: String) throws { try system.makeOld(path) }
}
