/* check.h - what must hold for any ps_dvm that was read: every index leads somewhere, every number is
 * within its limits. Dies when something does not. */
#ifndef PS_TESTS_READER_DVM_CHECK_H
#define PS_TESTS_READER_DVM_CHECK_H

#include "core/dvm/dvm.h"

void dvm_check(const ps_dvm *dvm);

#endif
