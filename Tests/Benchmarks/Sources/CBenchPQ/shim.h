#ifndef CBENCHPQ_SHIM_H
#define CBENCHPQ_SHIM_H

#include <libpq-fe.h>

#endif
