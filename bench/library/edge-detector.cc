// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The edges of examples/edge-detector with OpenCV. Its conversions round where ours cut off: the offsets make up for it.
#include "queue.h"
#include <opencv2/imgproc.hpp>

constexpr int width = 256, rows = 128;

int main(int argc, char **argv)
{
    files f = files_open(argc, argv);
    std::vector<unsigned char> in(width * rows), out(width * rows);
    cv::setNumThreads(1);
    const cv::Mat binomial = (cv::Mat_<float>(3, 1) << 1, 2, 1);
    cv::Mat sums, smooth, gx, gy, size, edges;
    char header[15];
    if (fread(header, 1, sizeof header, f.in) != sizeof header)
        return 1;
    fputs("P5\n252 252\n255\n", f.out);
    size_t fill = 0;
    for (size_t got; (got = fread(in.data() + fill, 1, in.size() - fill, f.in)) > 0;) {
        fill += got;
        int n = static_cast<int>(fill / width);
        if (n < 5)
            continue;
        cv::Mat picture(n, width, CV_8U, in.data());
        cv::sepFilter2D(picture, sums, CV_16S, binomial, binomial);
        sums(cv::Rect(1, 1, width - 2, n - 2)).convertTo(smooth, CV_8U, 1 / 16.0, -15 / 32.0);
        cv::Sobel(smooth, gx, CV_32F, 1, 0);
        cv::Sobel(smooth, gy, CV_32F, 0, 1);
        cv::magnitude(gx, gy, size);
        cv::Mat inner(n - 4, width - 4, CV_8U, out.data());
        // Squares of lengths are whole numbers, so a length is whole or at least 1 / 512 below the next whole number.
        size(cv::Rect(1, 1, width - 4, n - 4)).convertTo(inner, CV_8U, 1, -0.499);
        size_t pixels = static_cast<size_t>(n - 4) * (width - 4), done = static_cast<size_t>(n - 4) * width;
        if (fwrite(out.data(), 1, pixels, f.out) != pixels) {
            perror("output");
            return 1;
        }
        memmove(in.data(), in.data() + done, fill - done);
        fill -= done;
    }
    files_close(f);
    return 0;
}
