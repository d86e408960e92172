#if PostgreSQL
import CSwormPQ

/// Returns an error as libpq makes one itself, without a code of the server. The caller clears it.
func libpqFailure(on handle: OpaquePointer) -> OpaquePointer? { PQmakeEmptyPGresult(handle, PGRES_FATAL_ERROR) }

/// Clears a result of libpq.
func libpqClear(_ result: OpaquePointer) { PQclear(result) }

/// Closes a connection of libpq.
func libpqFinish(_ handle: OpaquePointer) { PQfinish(handle) }
#endif
