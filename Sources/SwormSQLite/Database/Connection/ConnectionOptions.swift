extension Connection {
    package enum Access: Sendable, Hashable {
        /// The file must exist.
        case readOnly
        /// The file must exist.
        case readWrite
        case readWriteCreate
    }

    package enum Synchronous: String, Sendable, Hashable {
        /// In WAL mode a power cut can lose the last transactions, never the file.
        case normal = "NORMAL"
        /// Nothing that was committed is lost. SQLite's FULL leaves it open whether the deletion of a journal, with which a
        /// transaction ends, is on the disk.
        case full = "EXTRA"
    }

    package enum Location: Sendable, Hashable {
        case file(path: String)
        /// A database of its own for each connection; the name is only a label.
        case memory(name: String)
    }

    package struct Options: Sendable, Hashable {
        package var access: Access
        /// How long a call waits for another connection's lock, in seconds.
        package var busyTimeout: Double
        /// The file cannot change while it is open: no locks are taken, no `-wal` is read, no side file is made.
        package var isImmutable: Bool
        /// Nobody else can use the file while this connection is open. Opening waits for those who do, for the timeout.
        ///
        /// In WAL mode the lock is there from the opening on, else from the first exclusive transaction.
        package var isExclusive: Bool
        package var synchronous: Synchronous
        /// The most that the page cache may take. It grows as pages are read.
        package var cacheSizeKiB: Int
        /// How many prepared statements are kept for their next use.
        package var statementCacheLimit: Int
        /// The name of the file system of SQLite's that the file is opened by; nil for its standard one.
        package var fileSystem: String?

        package init(
            access: Access = .readWriteCreate, busyTimeout: Double = 5, isImmutable: Bool = false,
            isExclusive: Bool = false, synchronous: Synchronous = .normal, cacheSizeKiB: Int = 64 * 1024,
            statementCacheLimit: Int = 200, fileSystem: String? = nil
        ) {
            self.access = access
            self.busyTimeout = busyTimeout
            self.isImmutable = isImmutable
            self.isExclusive = isExclusive
            self.synchronous = synchronous
            self.cacheSizeKiB = cacheSizeKiB
            self.statementCacheLimit = statementCacheLimit
            self.fileSystem = fileSystem
        }
    }
}
