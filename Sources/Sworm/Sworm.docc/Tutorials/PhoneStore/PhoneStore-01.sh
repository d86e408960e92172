ls -A Library
# .Library_SUPPORT  Library.sqlite  Library.sqlite-shm  Library.sqlite-wal
