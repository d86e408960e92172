extension Connection {
    package enum Access: Sendable, Hashable {
        /// Read-only access. The file must exist.
        case readOnly
        /// Read and write access. The file must exist.
        case readWrite
        case readWriteCreate
    }

    package enum Synchronous: String, Sendable, Hashable {
        /// In WAL mode, a power failure can lose the last transactions, but never damages the file.
        case normal = "NORMAL"
        /// No committed transaction is lost. SQLite's FULL does not ensure that the deletion of a journal, which ends
        /// a transaction, is on the disk.
        case full = "EXTRA"
    }

    package enum Location: Sendable, Hashable {
        case file(path: String)
        /// A separate database for each connection. The name is only a label.
        case memory(name: String)
    }

    package struct Options: Sendable, Hashable {
        package var access: Access
        /// The longest wait for another connection's lock, in seconds.
        package var busyTimeout: Double
        /// Whether the file cannot change while it is open: no locks are taken, no `-wal` is read, and no side file is
        /// created.
        package var isImmutable: Bool
        /// Whether the connection excludes all other connections from the file. Opening waits up to the timeout for
        /// connections that use the file.
        ///
        /// In WAL mode the lock is taken when the file is opened, otherwise by the first exclusive transaction.
        var isExclusive: Bool
        var synchronous: Synchronous
        /// The maximum size of the page cache. It grows as pages are read.
        package var cacheSizeKiB: Int
        /// The maximum number of prepared statements in the cache.
        var statementCacheLimit: Int
        /// The name of the SQLite VFS that opens the file, or nil for the default one.
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
