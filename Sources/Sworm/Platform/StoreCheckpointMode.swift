/// How much of the write-ahead log a checkpoint moves.
enum StoreCheckpointMode { case passive, full, restart, truncate }
