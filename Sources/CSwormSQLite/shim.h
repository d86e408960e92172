#ifndef CSWORMSQLITE_SHIM_H
#define CSWORMSQLITE_SHIM_H
#include <sqlite3.h>
#endif
