swift run -c release sworm-tool verify Library/Library.sqlite
