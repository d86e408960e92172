#if PostgreSQL
import CSwormPQ

/// The receiver of the server's messages outside of statements. It drops them, because libpq would print them; one that ends
/// the connection is noted.
final class NoticeReceiver {
    private(set) var isEnding = false
    /// The number of messages.
    private(set) var count = 0

    /// Unsafe: the receiver must live as long as the connection.
    func install(on handle: OpaquePointer) {
        let receive: PQnoticeReceiver = { context, notice in
            guard let context else { return }
            let receiver = Unmanaged<NoticeReceiver>.fromOpaque(context).takeUnretainedValue()
            receiver.count += 1
            guard let severity = PQresultErrorField(notice, Int32(UInt8(ascii: "V"))) else { return }
            let name = String(cString: severity)
            if name == "FATAL" || name == "PANIC" { receiver.isEnding = true }
        }
        PQsetNoticeReceiver(handle, receive, Unmanaged.passUnretained(self).toOpaque())
    }
}
#endif
