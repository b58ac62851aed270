/* sanitized.h - whether a sanitizer watches, so that all takes several times as long: tests that go through
 * many cases then go through fewer. Where it is that of threads still fewer will do: what it is for shows in
 * any. */
#ifndef PS_TESTS_SUPPORT_SANITIZED_H
#define PS_TESTS_SUPPORT_SANITIZED_H

#ifdef __clang__ /* in gcc the sanitizer's header defines __has_feature as 0 */
#define THREAD_SANITIZED __has_feature(thread_sanitizer)
#define SANITIZED        (__has_feature(address_sanitizer) || THREAD_SANITIZED)
#else
#ifdef __SANITIZE_THREAD__
#define THREAD_SANITIZED 1
#else
#define THREAD_SANITIZED 0
#endif
#ifdef __SANITIZE_ADDRESS__
#define SANITIZED 1
#else
#define SANITIZED THREAD_SANITIZED
#endif
#endif

#endif
