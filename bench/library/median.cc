// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The median of bench/programs with OpenCV: bytes, and the inner columns of what comes out.
#include "queue.h"
#include <opencv2/imgproc.hpp>

constexpr int width = 512, rows = 64;

int main(int argc, char **argv)
{
    files f = files_open(argc, argv);
    ints in, out;
    in.data = static_cast<int *>(queue_alloc(width * rows * sizeof(int)));
    out.data = static_cast<int *>(queue_alloc(width * rows * sizeof(int)));
    in.fill = 0;
    cv::setNumThreads(1);
    cv::Mat bytes, result;
    while (queue_read(&in, width * rows - in.fill, f), in.fill >= 3 * width) {
        int n = static_cast<int>(in.fill / width);
        cv::Mat(n, width, CV_32S, in.data).convertTo(bytes, CV_8U); // all are 0 to 255
        cv::medianBlur(bytes, result, 3);
        cv::Mat inner(n - 2, width - 2, CV_32S, out.data);
        result(cv::Rect(1, 1, width - 2, n - 2)).convertTo(inner, CV_32S);
        out.fill = static_cast<ptrdiff_t>(n - 2) * (width - 2);
        queue_write(&out, f);
        queue_drop(&in, static_cast<ptrdiff_t>(n - 2) * width);
    }
    files_close(f);
    return 0;
}
