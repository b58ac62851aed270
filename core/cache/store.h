/* store.h - where caches lie. */
#ifndef PS_CORE_CACHE_STORE_H
#define PS_CORE_CACHE_STORE_H

#define PS_CACHE_SUFFIX ".patscan-cache"

/* "": the usual one. malloc'ed; NULL: there is none. */
char *ps_cache_folder(const char *asked);

#endif
