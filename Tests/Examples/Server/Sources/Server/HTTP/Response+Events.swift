import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle

extension Response {
    /// Sends each value as a server-sent event, until the client disconnects or the server shuts down.
    static func events<Values: AsyncSequence & Sendable>(
        _ values: Values, for request: Request, _ context: BookContext
    ) -> Response where Values.Element: Encodable & Sendable {
        Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: .init { writer in
                do {
                    try await request.body.consumeWithCancellationOnInboundClose { _ in
                        for try await value in values.cancelOnGracefulShutdown() {
                            try await writer.write(.event(value, context.responseEncoder))
                        }
                    }
                } catch is CancellationError {
                    // The client has left.
                } catch {
                    // The status has been sent; the end of the stream is all that can tell the client.
                    context.logger.error("\(request.uri.path): \(error)")
                }
                try await writer.finish(nil)
            })
    }
}

extension ByteBuffer {
    /// Returns an event. JSON has no line breaks, so its data is one line.
    fileprivate static func event(_ value: some Encodable, _ encoder: JSONEncoder) throws -> ByteBuffer {
        var buffer = ByteBuffer(string: "data: ")
        buffer.writeBytes(try encoder.encode(value))
        buffer.writeString("\n\n")
        return buffer
    }
}
