#ifndef CSWORMZLIB_SHIM_H
#define CSWORMZLIB_SHIM_H
#include <zlib.h>
#endif
