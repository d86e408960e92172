import OpenCoreData
import SwormStore

/// A writer that writes the rows of a cursor in one of the output formats, as they are read.
struct RowOutput {
    private let cursor: any ProjectionCursor
    private let writer: RowWriter
    private let console: Console

    init(_ cursor: any ProjectionCursor, writer: RowWriter, console: Console) {
        self.cursor = cursor
        self.writer = writer
        self.console = console
    }

    func write(_ format: QueryCommand.Format) throws {
        switch format {
        case .table: try writeTable()
        case .csv: try writeCSV()
        case .ndjson: try writeJSON(isArray: false)
        case .json: try writeJSON(isArray: true)
        }
    }

    private func writeTable() throws {
        let table = TextTable(
            writer.columns.map(\.title), right: writer.columns.map(\.isNumeric), width: console.width, to: console.out)
        try forEachRow { _ in
            table.add(try writer.columns.map { try writer.text($0, of: cursor) })
        }
        table.end()
    }

    private func writeCSV() throws {
        let out = console.out
        for (index, column) in writer.columns.enumerated() {
            if index > 0 { out.write(UInt8(ascii: ",")) }
            CSVText.write(column.title, to: out)
        }
        out.write("\r\n" as StaticString)
        try forEachRow { _ in
            for (index, column) in writer.columns.enumerated() {
                if index > 0 { out.write(UInt8(ascii: ",")) }
                try writer.writeCSV(column, of: cursor, to: out)
            }
            out.write("\r\n" as StaticString)
        }
    }

    private func writeJSON(isArray: Bool) throws {
        let out = console.out
        let names = writer.columns.enumerated().map { index, column in
            let sink = ByteSink()
            sink.write(index == 0 ? "{" as StaticString : ",")
            sink.writeJSON(column.title)
            sink.write(UInt8(ascii: ":"))
            return sink.bytes
        }
        if isArray { out.write("[" as StaticString) }
        var isEmpty = true
        try forEachRow { number in
            isEmpty = false
            if isArray { out.write(number > 0 ? ",\n" as StaticString : "\n") }
            for (index, column) in writer.columns.enumerated() {
                names[index].withUnsafeBufferPointer { out.write($0) }
                try writer.writeJSON(column, of: cursor, to: out)
            }
            out.write(UInt8(ascii: "}"))
            if !isArray { out.write(UInt8(ascii: "\n")) }
        }
        if isArray { out.write(isEmpty ? "]\n" as StaticString : "\n]\n") }
    }

    private func forEachRow(_ body: (Int) throws -> Void) throws {
        let progress = Progress(console, label: "rows")
        var count = 0
        while try cursor.next() {
            try body(count)
            count += 1
            progress.update(count)
            try console.out.check()
        }
        progress.end()
    }
}
