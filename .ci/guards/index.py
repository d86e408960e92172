"""Reads the compiler's index, which every debug build writes, through the library beside the compiler.

Only the parts that are needed: the definitions and the explicit references in the package's sources.
"""

import collections
import ctypes
import os
import pathlib

from . import toolchain

Reference = collections.namedtuple("Reference", "file line name usr")

# The values of indexstore.h.
RECORD_DEPENDENCY = 2
ROLE_DEFINITION, ROLE_REFERENCE, ROLE_CALL, ROLE_IMPLICIT = 1 << 1, 1 << 2, 1 << 5, 1 << 8
KIND_EXTENSION = 9


class Text(ctypes.Structure):
    _fields_ = [("data", ctypes.POINTER(ctypes.c_char)), ("length", ctypes.c_size_t)]

    def __str__(self):
        return ctypes.string_at(self.data, self.length).decode("utf8", "replace") if self.length else ""


Pointer = ctypes.c_void_p
EachName = ctypes.CFUNCTYPE(ctypes.c_bool, Pointer, Text)
EachItem = ctypes.CFUNCTYPE(ctypes.c_bool, Pointer, Pointer)
FUNCTIONS = {
    "store_create": (Pointer, ctypes.c_char_p, ctypes.POINTER(Pointer)),
    "store_dispose": (None, Pointer),
    "store_units_apply_f": (ctypes.c_bool, Pointer, ctypes.c_uint, Pointer, EachName),
    "unit_reader_create": (Pointer, Pointer, ctypes.c_char_p, ctypes.POINTER(Pointer)),
    "unit_reader_dispose": (None, Pointer),
    "unit_reader_get_main_file": (Text, Pointer),
    "unit_reader_get_modification_time": (
        None, Pointer, ctypes.POINTER(ctypes.c_int64), ctypes.POINTER(ctypes.c_int64)),
    "unit_reader_dependencies_apply_f": (ctypes.c_bool, Pointer, Pointer, EachItem),
    "unit_dependency_get_kind": (ctypes.c_int, Pointer),
    "unit_dependency_get_name": (Text, Pointer),
    "unit_dependency_get_filepath": (Text, Pointer),
    "record_reader_create": (Pointer, Pointer, ctypes.c_char_p, ctypes.POINTER(Pointer)),
    "record_reader_dispose": (None, Pointer),
    "record_reader_occurrences_apply_f": (ctypes.c_bool, Pointer, Pointer, EachItem),
    "occurrence_get_symbol": (Pointer, Pointer),
    "occurrence_get_roles": (ctypes.c_uint64, Pointer),
    "occurrence_get_line_col": (
        None, Pointer, ctypes.POINTER(ctypes.c_uint), ctypes.POINTER(ctypes.c_uint)),
    "symbol_get_kind": (ctypes.c_int, Pointer),
    "symbol_get_name": (Text, Pointer),
    "symbol_get_usr": (Text, Pointer),
}


class Index:
    """The definitions (the file of each symbol) and references in the Swift files of a folder."""

    def __init__(self, store, sources):
        self.library = self.load()
        self.files_of_symbols = {}
        self.references = []
        self.sources = pathlib.Path(sources).resolve()
        error = Pointer()
        self.store = self.library.store_create(os.fsencode(str(store)), ctypes.byref(error))
        if not self.store:
            raise toolchain.Failure(f"There is no index in {store}. Build the package for debugging first.")
        records, indexed = self.records()
        missing = set(toolchain.swift_files(self.sources)) - indexed
        if missing:
            names = ", ".join(sorted(path.name for path in missing)[:5])
            raise toolchain.Failure(f"The index in {store} lacks {len(missing)} of the files in {sources}: {names}.")
        for record, file in sorted(records.items()):
            self.read(record, file)
        self.library.store_dispose(self.store)

    @staticmethod
    def load():
        library = ctypes.CDLL(str(toolchain.index_library()))
        functions = {}
        for name, (result, *arguments) in FUNCTIONS.items():
            function = getattr(library, "indexstore_" + name)
            function.restype, function.argtypes = result, arguments
            functions[name] = function
        return collections.namedtuple("Library", functions)(**functions)

    def relative(self, path):
        """The path below the folder of sources, or nothing for a file that is elsewhere, or is no longer there."""
        path = pathlib.Path(path)
        return path.relative_to(self.sources) if self.sources in path.parents and path.exists() else None

    def records(self):
        """The records by their names, with the file that each is about, and the files that were compiled."""
        names = []
        collect = EachName(lambda _, name: names.append(str(name)) or True)
        self.library.store_units_apply_f(self.store, 0, None, collect)
        newest = {}
        for name in names:
            error = Pointer()
            unit = self.library.unit_reader_create(self.store, name.encode(), ctypes.byref(error))
            if not unit:
                continue
            file = pathlib.Path(str(self.library.unit_reader_get_main_file(unit)))
            # A file that was compiled into several folders has a unit for each.
            if self.relative(file):
                found = self.time(unit), self.records_of(unit)
                newest[file] = max(newest.get(file, found), found, key=lambda item: item[0])
            self.library.unit_reader_dispose(unit)
        records = {name: file for _, found in newest.values() for name, file in found.items()}
        return records, newest.keys()

    def time(self, unit):
        seconds, nanoseconds = ctypes.c_int64(), ctypes.c_int64()
        self.library.unit_reader_get_modification_time(unit, ctypes.byref(seconds), ctypes.byref(nanoseconds))
        return seconds.value, nanoseconds.value

    def records_of(self, unit):
        records = {}

        def visit(_, dependency):
            if self.library.unit_dependency_get_kind(dependency) == RECORD_DEPENDENCY:
                file = self.relative(str(self.library.unit_dependency_get_filepath(dependency)))
                if file:
                    records[str(self.library.unit_dependency_get_name(dependency))] = file
            return True

        self.library.unit_reader_dependencies_apply_f(unit, None, EachItem(visit))
        return records

    def read(self, record, file):
        error = Pointer()
        reader = self.library.record_reader_create(self.store, record.encode(), ctypes.byref(error))
        if not reader:
            raise toolchain.Failure(f"The index has no record {record}. Remove the build folder and build again.")
        library, line, column = self.library, ctypes.c_uint(), ctypes.c_uint()

        def visit(_, occurrence):
            roles = library.occurrence_get_roles(occurrence)
            symbol = library.occurrence_get_symbol(occurrence)
            if roles & ROLE_DEFINITION:
                usr = str(library.symbol_get_usr(symbol))
                if usr not in self.files_of_symbols or library.symbol_get_kind(symbol) != KIND_EXTENSION:
                    self.files_of_symbols[usr] = file
            if roles & (ROLE_REFERENCE | ROLE_CALL) and not roles & ROLE_IMPLICIT:
                library.occurrence_get_line_col(occurrence, ctypes.byref(line), ctypes.byref(column))
                name, usr = str(library.symbol_get_name(symbol)), str(library.symbol_get_usr(symbol))
                self.references.append(Reference(file, line.value, name, usr))
            return True

        library.record_reader_occurrences_apply_f(reader, None, EachItem(visit))
        library.record_reader_dispose(reader)
