#if PostgreSQL
import CSwormPQ

/// The receiver of the server's messages outside of statements. It drops them, because libpq would print them; one that ends
/// the connection is noted.
final class NoticeReceiver {
    private(set) var isEnding = false

    /// Unsafe: the receiver must live as long as the connection.
    func install(on handle: OpaquePointer) {
        let receive: PQnoticeReceiver = { context, notice in
            guard let context, let severity = PQresultErrorField(notice, Int32(UInt8(ascii: "V"))) else { return }
            let name = String(cString: severity)
            guard name == "FATAL" || name == "PANIC" else { return }
            Unmanaged<NoticeReceiver>.fromOpaque(context).takeUnretainedValue().isEnding = true
        }
        PQsetNoticeReceiver(handle, receive, Unmanaged.passUnretained(self).toOpaque())
    }
}
#endif
