/// The part of the write-ahead log that a checkpoint moves.
enum StoreCheckpointMode { case passive, full, restart, truncate }
