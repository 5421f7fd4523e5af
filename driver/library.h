// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stream programs as libraries: what --emit=lib, --emit=header, --library, --prefix= and --header= ask for.
#ifndef SVMC_DRIVER_LIBRARY_H
#define SVMC_DRIVER_LIBRARY_H

#include "driver/hlc_options.h"

// Whether SVM C is to be a library's.
bool library_wanted(const option_list *options, driver_mode mode);
// The options go together and name what can be named; false after an error, which has been reported.
bool library_check_options(tool_session *t, const driver_inputs *inputs, driver_mode mode);
// Whether the library goes to a file that is no archive but an object.
bool library_is_object(const char *output);
// What is to be written can be; false after an error, which has been reported.
bool library_check_output(tool_session *t, const driver_inputs *inputs, const char *output);
// --header=, or beside the library: "build/libfm.a" and "build/fm.o" give "build/fm.h".
const char *library_header_path(tool_session *t, const char *output);

#endif
