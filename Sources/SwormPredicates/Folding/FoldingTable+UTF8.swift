extension FoldingTable {
    /// The capacity that the output needs: a scalar grows to at most three times its length, and is written in parts of
    /// eight bytes.
    static func capacity(forBytes count: Int) -> Int { 3 * count + 8 }

    /// Folds a string.
    ///
    /// - Parameters:
    ///   - input: A string in valid UTF-8.
    ///   - output: The memory for the folded string, with the capacity that the input needs.
    /// - Returns: The number of bytes of the folded string.
    func fold(_ input: UnsafeBufferPointer<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>) -> Int {
        guard let source = input.baseAddress, let target = output.baseAddress else { return 0 }
        return rules.withUnsafeBufferPointer { rules in
            indexes.withUnsafeBufferPointer { indexes in
                var pass = Pass(
                    rules: rules, indexes: indexes, source: source, end: input.count, target: target,
                    foldsLetterCase: foldsLetterCase, table: self)
                pass.run()
                return pass.written
            }
        }
    }

    /// One pass over a string.
    private struct Pass {
        let rules: UnsafeBufferPointer<Rule>
        let indexes: UnsafeBufferPointer<UInt16>
        let source: UnsafePointer<UInt8>
        let end: Int
        let target: UnsafeMutablePointer<UInt8>
        let foldsLetterCase: Bool
        let table: FoldingTable
        var read = 0
        var written = 0

        /// A scalar of the source, with the number of its bytes.
        struct Scalar {
            var value: UInt32
            var length: Int
        }

        @inline(__always)
        func scalar(at pointer: UnsafePointer<UInt8>) -> Scalar {
            let first = UInt32(pointer[0])
            if first < 0x80 { return Scalar(value: first, length: 1) }
            let second = UInt32(pointer[1] & 0x3F)
            if first < 0xE0 { return Scalar(value: (first & 0x1F) << 6 | second, length: 2) }
            let third = UInt32(pointer[2] & 0x3F)
            if first < 0xF0 { return Scalar(value: (first & 0x0F) << 12 | second << 6 | third, length: 3) }
            return Scalar(
                value: (first & 0x07) << 18 | second << 12 | third << 6 | UInt32(pointer[3] & 0x3F), length: 4)
        }

        @inline(__always)
        func ruleIndex(of scalar: UInt32) -> Int {
            Int(indexes[Int(indexes[Int(scalar >> 6)]) + Int(scalar & 63)])
        }

        /// Copies the next bytes of the source.
        @inline(__always)
        mutating func copy(_ count: Int) {
            for offset in 0..<count { target[written + offset] = source[read + offset] }
            written += count
        }

        /// Writes bytes of which the first one is in the lowest bits.
        @inline(__always)
        mutating func write(_ bytes: UInt64, count: UInt8) {
            UnsafeMutableRawPointer(target + written).storeBytes(of: bytes.littleEndian, as: UInt64.self)
            written += Int(count)
        }

        mutating func run() {
            var marks = FoldingMarkRule.ignored
            let plain = rules[0].marks
            while read < end {
                let byte = source[read]
                if byte < 0x80 {
                    target[written] = foldsLetterCase ? byte.lowercasedASCII : byte
                    written += 1
                    read += 1
                    marks = byte == 0 ? .ignored : .all
                    continue
                }
                let scalar = scalar(at: source + read)
                let index = ruleIndex(of: scalar.value)
                guard index != 0 else {
                    copy(scalar.length)
                    read += scalar.length
                    marks = plain
                    continue
                }
                let rule = rules[index]
                if rule.kind != .letter, marks != .ignored {
                    foldMarks(marks)
                    // A letter follows, or the end.
                    continue
                }
                let start = written
                if rule.count == 0 { copy(scalar.length) } else { write(rule.bytes, count: rule.count) }
                read += scalar.length
                marks = rule.marks
                guard rule.combiningClass != 0, marks != .all, marks != .ignored else { continue }
                // The letter has a class of its own, and is sorted with the marks behind it.
                foldMarks(marks, sortedFrom: start, combiningClass: rule.combiningClass)
            }
        }

        /// Folds all marks behind a letter.
        ///
        /// - Parameters:
        ///   - dropped: The marks that the letter loses.
        ///   - start: The offset in the target of the letter, if it is sorted with the marks; nil for any other letter.
        ///   - combiningClass: The class of the letter.
        @inline(never)
        mutating func foldMarks(
            _ dropped: FoldingMarkRule, sortedFrom start: Int? = nil, combiningClass: UInt8 = 0
        ) {
            let start = start ?? written
            var last = combiningClass
            var isSorted = true
            var losesNext = dropped == .first
            while read < end, source[read] >= 0x80 {
                let scalar = scalar(at: source + read)
                let rule = rules[ruleIndex(of: scalar.value)]
                guard rule.kind != .letter else { break }
                let isDropped = dropped == .all || losesNext && rule.kind == .lowMark
                losesNext = false
                if !isDropped {
                    if let parts = table.decompositions[scalar.value] {
                        parts.forEach { append($0) }
                        isSorted = false
                    } else {
                        copy(scalar.length)
                        isSorted = isSorted && rule.combiningClass >= last
                        last = rule.combiningClass
                    }
                }
                read += scalar.length
            }
            if !isSorted { sort(from: start) }
        }

        private mutating func append(_ scalar: UInt32) {
            for byte in Unicode.Scalar(scalar).flatMap(UTF8.encode) ?? UTF8.encodedReplacementCharacter {
                target[written] = byte
                written += 1
            }
        }

        /// Sorts scalars of the target, up to its end, by their combining classes. Those of one class keep their order.
        private mutating func sort(from start: Int) {
            var scalars: [(combiningClass: UInt8, value: UInt32)] = []
            var position = start
            while position < written {
                let scalar = scalar(at: target + position)
                scalars.append((rules[ruleIndex(of: scalar.value)].combiningClass, scalar.value))
                position += scalar.length
            }
            let order = scalars.indices.sorted {
                (scalars[$0].combiningClass, $0) < (scalars[$1].combiningClass, $1)
            }
            written = start
            for index in order { append(scalars[index].value) }
        }
    }
}
