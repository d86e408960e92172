import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// A request and its response over HTTP/1.1, on a connection of its own. The body of the response is read as it arrives.
struct HTTPExchange: Sendable {
    enum Failure: Error { case wrongURL(String), noResponse, timeout }

    let status: HTTPResponseStatus
    let headers: HTTPHeaders
    private let channel: any Channel
    private let parts: AsyncThrowingStream<HTTPClientResponsePart, any Error>

    /// Connects, sends a request, and waits for the head of the response. A connection on which nothing happens for a
    /// minute is an error.
    ///
    /// - Parameters:
    ///   - body: The bytes of the body that are sent.
    ///   - length: The length that the head announces; the length of the body by default.
    init(
        _ method: HTTPMethod, _ url: String, headers: HTTPHeaders = [:], body: String? = nil, length: Int? = nil
    ) async throws {
        guard let address = URL(string: url), let host = address.host(), let port = address.port else {
            throw Failure.wrongURL(url)
        }
        let (parts, source) = AsyncThrowingStream<HTTPClientResponsePart, any Error>.makeStream()
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    try channel.pipeline.syncOperations.addHandler(IdleStateHandler(allTimeout: .seconds(60)))
                    try channel.pipeline.syncOperations.addHandler(ResponseReader(parts: source))
                }
            }
            .connect(host: host, port: port).get()
        var head = HTTPRequestHead(version: .http1_1, method: method, uri: Self.target(of: url), headers: headers)
        head.headers.add(name: "host", value: "\(host):\(port)")
        let bytes = body.map { ByteBuffer(string: $0) }
        if let size = length ?? bytes?.readableBytes { head.headers.add(name: "content-length", value: "\(size)") }
        channel.write(HTTPClientRequestPart.head(head), promise: nil)
        if let bytes { channel.write(HTTPClientRequestPart.body(.byteBuffer(bytes)), promise: nil) }
        if length == nil { channel.write(HTTPClientRequestPart.end(nil), promise: nil) }
        channel.flush()
        var iterator = parts.makeAsyncIterator()
        guard case .head(let response)? = try await iterator.next() else {
            try? await channel.close()
            throw Failure.noResponse
        }
        (status, self.headers, self.channel, self.parts) = (response.status, response.headers, channel, parts)
    }

    /// Returns the path and the query of a URL as they are written.
    private static func target(of url: String) -> String {
        guard let scheme = url.range(of: "://"), let slash = url[scheme.upperBound...].firstIndex(of: "/") else {
            return "/"
        }
        return String(url[slash...])
    }

    /// Returns the next bytes of the body, or nil at its end.
    func next() async throws -> ByteBuffer? {
        var iterator = parts.makeAsyncIterator()
        while let part = try await iterator.next() {
            if case .body(let bytes) = part { return bytes }
        }
        return nil
    }

    /// Returns the whole body, and disconnects.
    func body() async throws -> Data {
        var data = Data()
        while let bytes = try await next() { data.append(contentsOf: bytes.readableBytesView) }
        await close()
        return data
    }

    /// Disconnects, unless the server has done so already.
    func close() async { try? await channel.close() }
}

/// A handler that passes the parts of a response to a stream.
private final class ResponseReader: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private let parts: AsyncThrowingStream<HTTPClientResponsePart, any Error>.Continuation

    init(parts: AsyncThrowingStream<HTTPClientResponsePart, any Error>.Continuation) { self.parts = parts }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        parts.yield(part)
        if case .end = part { parts.finish() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is IdleStateHandler.IdleStateEvent else { return context.fireUserInboundEventTriggered(event) }
        errorCaught(context: context, error: HTTPExchange.Failure.timeout)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        parts.finish(throwing: error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { parts.finish() }
}
