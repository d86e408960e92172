import Foundation

/// A change of the disk below a folder, in the order in which they were made.
///
/// Files are numbered, as what is written into one does not depend on its names.
enum DiskChange: Sendable {
    case makeFile(path: String, file: Int)
    case write(file: Int, offset: Int, bytes: [UInt8])
    case truncate(file: Int, size: Int)
    case synchronize(file: Int)
    case synchronizeFolder(path: String)
    case rename(from: String, to: String)
    case link(file: Int, path: String)
    case makeLink(path: String, target: String)
    case removeFile(path: String)
    case makeFolder(path: String)
    case removeFolder(path: String)
    /// The user of the disk notes its progress.
    case note(CrashMoment)

    /// The folders whose names it changes.
    var folders: [String] {
        switch self {
        case .makeFile(let path, _), .link(_, let path), .makeLink(let path, _), .removeFile(let path),
            .makeFolder(let path), .removeFolder(let path):
            [CrashRecord.folder(of: path)]
        case .rename(let old, let new): [CrashRecord.folder(of: old), CrashRecord.folder(of: new)]
        case .write, .truncate, .synchronize, .synchronizeFolder, .note: []
        }
    }
}

/// How far a workload has come, as it knows itself.
struct CrashMoment: Sendable, Equatable {
    /// The last state whose transaction has begun.
    var begun = 0
    /// The last state whose transaction was acknowledged.
    var acknowledged = 0
    /// The last state that must survive, also where a transaction that was acknowledged need not.
    var lasting = 0
    /// The states that the backup may be of; nil for no backup.
    var backups: [Int?] = [nil]
}

/// What is at a path.
enum DiskEntry: Sendable, Equatable {
    case file(Int)
    case folder
    case link(String)
}

/// All changes of the disk below a folder since a moment at which everything was on it.
struct CrashRecord: Sendable {
    /// What was there in the beginning, by the path from the folder on.
    var initial: [String: DiskEntry] = [:]
    var initialContent: [Int: [UInt8]] = [:]
    var changes: [DiskChange] = []

    /// The first name of each file.
    var namesOfFiles: [Int: String] {
        var names: [Int: String] = [:]
        for (path, entry) in initial { if case .file(let file) = entry { names[file] = path } }
        for case .makeFile(let path, let file) in changes { names[file] = path }
        return names
    }

    /// The files with certain names.
    func files(where isMeant: (String) -> Bool) -> Set<Int> {
        Set(namesOfFiles.filter { isMeant($0.value) }.keys)
    }

    static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }
}
