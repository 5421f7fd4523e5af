// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
int half(int i);
int half(int i)
{
    return i / 2;
}
