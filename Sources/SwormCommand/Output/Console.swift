import Foundation

/// The output of a command, its messages, and the properties of the terminal.
package final class Console {
    let out: ByteSink
    let err: ByteSink
    /// The number of columns that are available for tables.
    let width: Int
    /// Whether messages are shown on a terminal.
    let showsProgress: Bool

    /// Returns a console for the output of the process.
    package static func standard() -> Console {
        Console(
            out: ByteSink(descriptor: STDOUT_FILENO), err: ByteSink(descriptor: STDERR_FILENO),
            width: terminalWidth() ?? 80, showsProgress: isatty(STDERR_FILENO) == 1)
    }

    init(out: ByteSink, err: ByteSink, width: Int = 80, showsProgress: Bool = false) {
        self.out = out
        self.err = err
        self.width = width
        self.showsProgress = showsProgress
    }

    /// Writes a line of output.
    func line(_ text: String = "") {
        out.write(text)
        out.write(UInt8(ascii: "\n"))
    }

    /// Writes a warning, after the output so far.
    func warn(_ message: String) {
        try? out.flush()
        err.write("warning: \(message)\n")
        try? err.flush()
    }

    /// Writes a message that is not part of the output.
    func note(_ message: String) {
        try? out.flush()
        err.write("\(message)\n")
        try? err.flush()
    }

    /// Reports an error with its hint.
    func report(_ message: String, hint: String? = nil) {
        // Output must appear before the error, even if both are written to the same file.
        try? out.flush()
        err.write("error: \(message)\n")
        if let hint { err.write("hint: \(hint)\n") }
        try? err.flush()
    }

    private static func terminalWidth() -> Int? {
        guard isatty(STDOUT_FILENO) == 1 else { return nil }
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col >= 20 else { return nil }
        return Int(size.ws_col)
    }
}

/// A display of the progress of a long job. It appears only on a terminal, and not for short jobs.
final class Progress {
    private let console: Console
    private let label: String
    private let start = Date()
    private var last = Date()
    private var isShown = false
    private var steps = 0

    init(_ console: Console, label: String) {
        self.console = console
        self.label = label
    }

    /// Updates the progress. May be called frequently; only some of the updates are shown.
    func update(_ done: Int, of total: Int? = nil) {
        guard console.showsProgress else { return }
        steps += 1
        // Check the clock only occasionally.
        guard steps % 256 == 1 || total != nil else { return }
        let now = Date()
        guard now.timeIntervalSince(start) > 0.5, now.timeIntervalSince(last) > 0.1 else { return }
        last = now
        isShown = true
        let share = total.map { $0 > 0 ? " \(min(100, done * 100 / $0)) %" : "" } ?? ""
        console.err.write("\r\u{1B}[K\(label): \(done)\(share)")
        try? console.err.flush()
    }

    func end() {
        guard isShown else { return }
        isShown = false
        console.err.write("\r\u{1B}[K")
        try? console.err.flush()
    }

    deinit { end() }
}
