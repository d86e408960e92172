#ifndef CALLOCATIONS_H
#define CALLOCATIONS_H

/* How often the calling thread has allocated memory; -1 where that cannot be counted. */
long allocation_count(void);

#endif
