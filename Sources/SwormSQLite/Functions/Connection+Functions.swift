import CSwormSQLite

extension Connection {
    package typealias Function = (borrowing FunctionContext) throws -> FunctionResult

    /// Adds a function to SQL, or replaces the one with that name and number of arguments; -1 accepts any number.
    ///
    /// A thrown error becomes the error of the statement, with its description as the message. The body must not
    /// retain the connection, because the connection retains the body. Views and triggers of a file may call the
    /// function only if `allowedInSchema` is set.
    package func addFunction(
        _ name: String, argumentCount: Int, deterministic: Bool, allowedInSchema: Bool = false,
        _ body: @escaping Function
    ) throws {
        var flags = SQLITE_UTF8
        if deterministic { flags |= SQLITE_DETERMINISTIC }
        flags |= allowedInSchema ? SQLITE_INNOCUOUS : SQLITE_DIRECTONLY
        // SQLite releases the box through the last argument, even if it rejects the function.
        let code = sqlite3_create_function_v2(
            pointer, name, Int32(clamping: argumentCount), flags, Unmanaged.passRetained(FunctionBox(body)).toOpaque(),
            { context, count, values in
                guard let context, let data = sqlite3_user_data(context) else { return }
                let box = Unmanaged<FunctionBox>.fromOpaque(data).takeUnretainedValue()
                let call = FunctionContext(context: context, arguments: values, argumentCount: Int(count))
                do {
                    call.setResult(try box.body(call))
                } catch {
                    call.setError(error)
                }
            },
            nil, nil,
            { box in
                if let box { Unmanaged<FunctionBox>.fromOpaque(box).release() }
            })
        if code != SQLITE_OK { throw failure(code) }
    }
}

private final class FunctionBox {
    let body: Connection.Function
    init(_ body: @escaping Connection.Function) { self.body = body }
}
