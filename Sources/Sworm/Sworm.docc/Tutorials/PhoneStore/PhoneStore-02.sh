swift run -c release sworm-tool inspect Library/Library.sqlite
