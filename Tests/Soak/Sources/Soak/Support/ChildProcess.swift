import Foundation

/// This program once more, in a process of its own.
///
/// Made by the system's own call: Foundation's class has a thread that watches over its processes, and threads are counted here.
final class ChildProcess {
    let id: pid_t
    private var input: Int32
    private let output: Int32
    private var unread: [UInt8] = []
    private var hasEnded = false

    init(_ words: [String]) throws {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        var toChild: [Int32] = [0, 0]
        var fromChild: [Int32] = [0, 0]
        guard pipe(&toChild) == 0, pipe(&fromChild) == 0 else { throw Failure("there are no pipes") }
        // Children have the ends for input and output, which are copies, and not these.
        for descriptor in toChild + fromChild { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
        posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
        var arguments = ([program] + words).map { strdup($0) }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }
        var child: pid_t = 0
        let code = posix_spawn(&child, program, &actions, nil, &arguments, environ)
        guard code == 0 else { throw Failure("the process did not start: \(code)") }
        close(toChild[0])
        close(fromChild[1])
        (id, input, output) = (child, toChild[1], fromChild[0])
    }

    deinit {
        closeInput()
        close(output)
        if !hasEnded {
            kill(id, SIGKILL)
            waitpid(id, nil, 0)
        }
    }

    /// Sends a byte to its standard input.
    func send(_ letter: Character = "\n") throws {
        var byte = letter.asciiValue ?? 10
        guard write(input, &byte, 1) == 1 else { throw Failure("process \(id) does not listen") }
    }

    /// Lets its standard input come to an end.
    func closeInput() {
        if input >= 0 { close(input) }
        input = -1
    }

    /// The next line of its output; nil at its end.
    ///
    /// - Parameter seconds: When to give up.
    func line(within seconds: Double = 60) throws -> String? {
        let end = ContinuousClock.now + .seconds(seconds)
        while true {
            if let position = unread.firstIndex(of: 10) {
                defer { unread.removeSubrange(...position) }
                return String(decoding: unread[..<position], as: UTF8.self)
            }
            let left = (end - .now).milliseconds
            guard left > 0 else { throw Failure("process \(id) said nothing for \(seconds.text) s") }
            var poll = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            guard Glibc.poll(&poll, 1, Int32(left) + 1) > 0 else { continue }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = read(output, &bytes, bytes.count)
            guard count > 0 else { return nil }
            unread += bytes[..<count]
        }
    }

    /// Throws unless the next line is this one.
    func expect(_ wanted: String, within seconds: Double = 60) throws {
        let found = try line(within: seconds)
        guard found == wanted else { throw Failure("process \(id) said \(found ?? "nothing") in lieu of \(wanted)") }
    }

    /// Stops the process as a shell does, and returns when it is stopped.
    func stop() throws {
        var status: Int32 = 0
        guard kill(id, SIGSTOP) == 0, waitpid(id, &status, Int32(WUNTRACED)) == id, status & 0xFF == 0x7F else {
            hasEnded = status & 0x7F == 0
            throw Failure("process \(id) cannot be stopped, its status is \(status)")
        }
    }

    func goOn() { kill(id, SIGCONT) }

    /// Waits until it has ended by itself, and throws unless it ended with 0.
    func end() throws {
        var status: Int32 = 0
        guard !hasEnded, waitpid(id, &status, 0) == id else { throw Failure("process \(id) is not there") }
        hasEnded = true
        guard status == 0 else { throw Failure("process \(id) ended with status \(status)") }
    }
}

/// What a child process does with its standard input.
enum ParentProcess {
    /// Waits for a byte, and returns whether there was one: without a parent there is none.
    static func wait() -> Bool {
        var byte: UInt8 = 0
        return read(0, &byte, 1) == 1
    }

    /// Whether the parent has said something, or has ended.
    static var hasSpoken: Bool {
        var poll = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
        return Glibc.poll(&poll, 1, 0) != 0
    }
}
