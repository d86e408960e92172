#if PostgreSQL
import CSwormPQ

/// Closes a connection of libpq.
func libpqFinish(_ handle: OpaquePointer) { PQfinish(handle) }
#endif
