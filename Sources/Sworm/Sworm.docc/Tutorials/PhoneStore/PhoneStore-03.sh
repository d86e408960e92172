swift run -c release sworm-tool inspect Library/Library.sqlite
swift run -c release sworm-tool query Library/Library.sqlite Book --where 'year > 1860' --sort -year --limit 5
