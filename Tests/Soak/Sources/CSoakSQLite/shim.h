#ifndef CBENCHSQLITE_SHIM_H
#define CBENCHSQLITE_SHIM_H
#include <sqlite3.h>
#ifdef __linux__
#include <malloc.h> /* malloc_trim */
#endif
#endif
